-- Ways into a private site that need no account. The target is what stands before `--` in the host; empty for the hosts
-- that show the active deployment. A password is kept in PHC form, other secrets as their SHA-256.
CREATE TABLE shares (
  id TEXT PRIMARY KEY,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  secret_hash TEXT UNIQUE,
  password_hash TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_by_site ON shares (site_id);
CREATE INDEX shares_by_expiry ON shares (expires_at);

CREATE TABLE share_visits (
  token_hash TEXT PRIMARY KEY,
  share_id TEXT NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX share_visits_by_share ON share_visits (share_id, created_at);
CREATE INDEX share_visits_by_expiry ON share_visits (expires_at);
