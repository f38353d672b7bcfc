-- Operators have the console. A session keeps when its person last proved who they are; the operator's own
-- `users session` proves nothing.
ALTER TABLE users ADD COLUMN operator INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN last_seen_at INTEGER;
UPDATE users SET last_seen_at = (SELECT max(last_used_at) FROM sessions WHERE user_id = users.id);
CREATE INDEX users_by_page ON users (login COLLATE NOCASE, id);

ALTER TABLE sessions ADD COLUMN signed_in_at INTEGER;

-- Links that make an account or set a new password. A new one for a login replaces the one before.
CREATE TABLE account_links (
  kind TEXT NOT NULL,
  login TEXT NOT NULL COLLATE NOCASE,
  token_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  name TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (kind, login)
) STRICT, WITHOUT ROWID;
