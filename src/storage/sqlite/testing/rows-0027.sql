-- What schema 27 adds: a pack with two contents, and an object that was noted and never stored.

INSERT INTO content_objects (id, name, size, intended_at, condemned_at) VALUES
  (1, 'content/019ab0c4-0000-7000-8000-000000000001', 11, 1795399200000, NULL),
  (2, 'content/019ab0c4-0000-7000-8000-000000000002', NULL, 1795399260000, 1795485660000);

INSERT INTO content_locations (digest, size, object_id, offset, written_at, writer) VALUES
  ('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', 5, 1, 0, 1795399201000, NULL),
  ('a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e', 6, 1, 5, 1795399201000, 'writer');

INSERT INTO content_bucket (id, owner, address) VALUES (1, 'owner', 's3://bucket/prefix');
