-- Strangers whom sign-in refused were kept, by a login that they had chosen themselves: an owner could take one of them
-- for the reader they meant, and the operator for the person they added. People are kept from now on once they are let in.
DELETE FROM users
WHERE provider = 'oidc' AND may_own = 0 AND frozen IS NULL AND subject NOT LIKE 'login:%'
  AND id NOT IN (SELECT user_id FROM readers)
  AND id NOT IN (SELECT user_id FROM sessions)
  AND id NOT IN (SELECT user_id FROM quotas)
  AND id NOT IN (SELECT owner_id FROM sites)
  AND NOT EXISTS (SELECT 1 FROM claims WHERE owner_id = users.id)
  AND NOT EXISTS (SELECT 1 FROM device_codes WHERE user_id = users.id);
