-- What schema 17 adds: a share, and a visit of somebody who came with it.

INSERT INTO shares (id, site_id, label, kind, target, secret_hash, password_hash, created_at, expires_at, uses, last_used_at) VALUES
  ('7f0c1d2e3a4b5c6d7e8f', 1, 'The client', 'link', '', 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9', NULL, 1793525427000, 1796117427000, 1, 1793525428000);

INSERT INTO share_visits (token_hash, share_id, host, created_at, expires_at) VALUES
  ('baa5a0964d3320fbc0c6a922140453c8513ea24ab8fd0577034804a967248096', '7f0c1d2e3a4b5c6d7e8f', 'notes.localhost', 1793525428000, 1793568628000);
