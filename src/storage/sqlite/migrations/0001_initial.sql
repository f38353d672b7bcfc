-- Times are milliseconds since the epoch; digests and token hashes are SHA-256 in lower-case hex.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('generation', 1);

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  login TEXT NOT NULL COLLATE NOCASE,
  name TEXT,
  avatar_url TEXT,
  may_own INTEGER NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (provider, subject)
) STRICT;
CREATE UNIQUE INDEX users_by_login ON users (provider, login);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  idle_limit INTEGER NOT NULL,
  client_name TEXT NOT NULL,
  address TEXT
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE sites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  private INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_deployed_at INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  active_deployment_id INTEGER REFERENCES deployments (id),
  total_views INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sites_by_owner ON sites (owner_id);

-- Names of deleted sites stay with their owner for a while, so that nobody takes over their links.
CREATE TABLE retired_names (
  name TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL,
  free_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deployments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  activated_at INTEGER,
  -- When another deployment took its place; null while it is active.
  replaced_at INTEGER,
  source TEXT NOT NULL,
  actor TEXT NOT NULL,
  file_count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  warnings TEXT NOT NULL,
  UNIQUE (site_id, number)
) STRICT;

-- Deployments that no retention policy removes.
CREATE TABLE pins (
  deployment_id INTEGER PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE
) STRICT;

-- Sites without a row have the instance's policy.
CREATE TABLE retention_policies (
  site_id INTEGER PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  keep_last INTEGER,
  keep_days INTEGER
) STRICT;

-- A manifest is read whole and never changes: one compressed row instead of one row per file.
CREATE TABLE manifests (
  deployment_id INTEGER PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE contents (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  published_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deployment_contents (
  deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  content_id INTEGER NOT NULL REFERENCES contents (id),
  PRIMARY KEY (deployment_id, content_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deployments_by_content ON deployment_contents (content_id);

-- A row says that encoding was tried; a size, that the encoded file is stored.
CREATE TABLE encodings (
  content_id INTEGER PRIMARY KEY REFERENCES contents (id) ON DELETE CASCADE,
  zstd INTEGER,
  br INTEGER,
  gzip INTEGER
) STRICT;

-- Days are counted from the epoch, in UTC; `visitors` is a sketch from which nobody can be told.
CREATE TABLE view_days (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  views INTEGER NOT NULL,
  bot_views INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  visitors BLOB NOT NULL,
  PRIMARY KEY (site_id, day)
) STRICT, WITHOUT ROWID;

-- Pages, referring hosts and paths that were not found, by kind.
CREATE TABLE view_names (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (site_id, day, kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE view_salts (
  day INTEGER PRIMARY KEY,
  salt TEXT NOT NULL
) STRICT;

CREATE TABLE deployment_tokens (
  id TEXT PRIMARY KEY,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX deployment_tokens_by_site ON deployment_tokens (site_id);

-- Certificates held or wanted, one row each; attempts, pending, current and renewal are JSON. Keys are in plain PEM:
-- the file is readable by the appliance's own user alone.
CREATE TABLE certificates (
  subject TEXT PRIMARY KEY,
  identifiers TEXT NOT NULL,
  challenge TEXT NOT NULL,
  origin TEXT NOT NULL,
  attempts TEXT NOT NULL,
  pending TEXT,
  current TEXT,
  issued_at INTEGER,
  renewal TEXT,
  -- The revision of the whole set at which `current` came in.
  revision INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What the appliance made for itself: the root of its local CA, and the fallback for unknown names.
CREATE TABLE own_certificates (
  name TEXT PRIMARY KEY,
  chain TEXT NOT NULL,
  key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE acme_accounts (
  directory TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  url TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE acme_orders (
  directory TEXT NOT NULL,
  placed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX acme_orders_by_time ON acme_orders (directory, placed_at);

CREATE TABLE acme_challenges (
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (type, name, value)
) STRICT, WITHOUT ROWID;

-- People who may read a private site, besides its owner. The list stays while the site is public.
CREATE TABLE readers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (site_id, user_id)
) STRICT;
CREATE INDEX readers_by_user ON readers (user_id);

CREATE TABLE device_codes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_code_hash TEXT NOT NULL UNIQUE,
  user_code_hash TEXT NOT NULL UNIQUE,
  client_name TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  poll_interval INTEGER NOT NULL,
  last_polled_at INTEGER,
  verdict TEXT NOT NULL DEFAULT 'pending',
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE
) STRICT;

-- Sign-ins that wait for the provider; `sealed` is readable with the browser's own secret alone.
CREATE TABLE sign_in_attempts (
  secret_hash TEXT PRIMARY KEY,
  sealed TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  next_poll_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE visit_codes (
  code_hash TEXT PRIMARY KEY,
  state_hash TEXT NOT NULL,
  host TEXT NOT NULL,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE visits (
  token_hash TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX visits_by_session ON visits (session_id);

CREATE TABLE rate_events (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX rate_events_by_key ON rate_events (key, at);
CREATE INDEX rate_events_by_time ON rate_events (at);

-- One row at most: the link that makes the first account.
CREATE TABLE setup_links (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  code_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- Claims of hostnames. Ended ones stay, so that creations can be counted and their owner sees what became of them.
CREATE TABLE claims (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision INTEGER NOT NULL,
  hostname TEXT NOT NULL,
  site_id INTEGER REFERENCES sites (id) ON DELETE SET NULL,
  owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  proof_token TEXT NOT NULL,
  probe_token TEXT NOT NULL UNIQUE,
  probe_answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  verified_at INTEGER,
  withdrawn_at INTEGER,
  removal_requested_at INTEGER,
  route_status TEXT NOT NULL,
  route_generation INTEGER NOT NULL,
  route_error TEXT,
  mode TEXT NOT NULL,
  effective_mode TEXT,
  target_mode TEXT,
  observed_mode TEXT,
  transition_started_at INTEGER,
  transition_deadline_at INTEGER,
  transition_error TEXT,
  cancelled_mode TEXT,
  challenge_seen_at INTEGER,
  activated_at INTEGER,
  activation_checked_at INTEGER,
  activation_error TEXT,
  last_checked_at INTEGER,
  last_error TEXT,
  diagnostics TEXT,
  astray_since INTEGER,
  gone_since INTEGER,
  proof_misses INTEGER NOT NULL,
  ladder TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_check_at INTEGER,
  -- The turn to check this claim: who has it and until when; when the last one was given back, and with what.
  check_holder TEXT,
  check_until INTEGER,
  checked_at INTEGER,
  check_silent INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX claims_by_site ON claims (site_id);
CREATE INDEX claims_by_owner ON claims (owner_id, created_at);
CREATE INDEX claims_by_hostname ON claims (hostname);
CREATE INDEX claims_by_next_check ON claims (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE UNIQUE INDEX claims_verified ON claims (hostname) WHERE status = 'verified';
CREATE UNIQUE INDEX claims_routed ON claims (hostname) WHERE route_status IN ('routed', 'removing');

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE job_failures (
  name TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  not_before INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who changed what. Each entry's hash binds it to all before it, and no statement changes one.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  site TEXT,
  subject TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_site ON audit (site, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
