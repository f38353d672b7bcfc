-- Whose deliveries share the places: the site's owner, also once the site is gone; null where nobody knows any more.
ALTER TABLE webhooks ADD COLUMN owner_id INTEGER;
UPDATE webhooks SET owner_id = (SELECT owner_id FROM sites WHERE sites.id = webhooks.site_id);
-- How many attempts in a row took long, and until when the receiver is left alone for it.
ALTER TABLE webhooks ADD COLUMN slow_answers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN rests_until INTEGER;
