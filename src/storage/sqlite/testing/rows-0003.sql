-- What schema 3 adds: limits of a person's own, and a person whom the operator froze.

UPDATE users SET frozen = '{"at":1793525409000,"reason":"unpaid"}' WHERE id = (SELECT max(id) FROM users);
INSERT INTO quotas (user_id, kind, most) SELECT min(id), 'sites', 12 FROM users;
INSERT INTO quotas (user_id, kind, most) SELECT min(id), 'bytes', NULL FROM users;
