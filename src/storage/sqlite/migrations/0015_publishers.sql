-- CI workflows that may exchange an ID token for a deployment token. The ids are those of the repository and its owner,
-- kept at the first exchange.
CREATE TABLE publishers (
  id TEXT PRIMARY KEY,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  issuer TEXT NOT NULL,
  repository TEXT NOT NULL,
  workflow TEXT,
  ref TEXT,
  environment TEXT,
  permission TEXT NOT NULL CHECK (permission IN ('publish', 'preview')),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  repository_id TEXT,
  owner_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX publishers_by_site ON publishers (site_id);

-- ID tokens that were exchanged, by the SHA-256 of issuer and identifier, until they are too old to be accepted.
CREATE TABLE used_id_tokens (
  token_hash TEXT PRIMARY KEY,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_id_tokens_by_end ON used_id_tokens (ends_at);

-- Of a token that came from an exchange.
ALTER TABLE deployment_tokens ADD COLUMN publisher_id TEXT REFERENCES publishers (id) ON DELETE CASCADE;
CREATE INDEX deployment_tokens_by_publisher ON deployment_tokens (publisher_id) WHERE publisher_id IS NOT NULL;
