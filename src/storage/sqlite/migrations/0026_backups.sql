-- What the server knows of its backups, and what its operator was told is wrong and has not ended.
CREATE TABLE backups (
  id TEXT PRIMARY KEY,
  place TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  bytes INTEGER NOT NULL,
  progress REAL NOT NULL,
  error TEXT,
  attempts INTEGER NOT NULL,
  retry_at INTEGER,
  verified_at INTEGER,
  verifying INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE incidents (
  name TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
