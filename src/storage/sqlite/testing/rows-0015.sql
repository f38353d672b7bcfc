-- What schema 15 adds: a publisher that was used, and the ID token that was exchanged.

INSERT INTO publishers (id, site_id, provider, issuer, repository, workflow, ref, environment, permission, created_at, last_used_at, repository_id, owner_id) VALUES
  ('5f0c1d2e3a4b5c6d7e8f', 1, 'github', 'https://token.actions.githubusercontent.com', 'octo/notes', 'deploy.yml', 'refs/heads/main', NULL, 'publish', 1793525425000, 1793525426000, '74', '65');

INSERT INTO used_id_tokens (token_hash, ends_at) VALUES
  ('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', 1793526026000);
