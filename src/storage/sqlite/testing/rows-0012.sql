-- What schema 12 adds: an operator, and links of accounts.

INSERT INTO account_links (kind, login, token_hash, user_id, name, expires_at)
VALUES ('invitation', 'margaret', '0perat0r0000000000000000000000000000000000000000000000000000link', NULL, 'Margaret', 1793525425000);
