-- Times are milliseconds since the epoch; digests and token hashes are SHA-256 in lower-case hex.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('generation', 1);

-- A ring of the latest changes of what visitors get.
CREATE TABLE routing_changes (
  slot INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL,
  -- The IDs of the affected sites as JSON; null if any may be affected.
  sites TEXT
) STRICT;

CREATE TABLE live_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  audience TEXT NOT NULL,
  site_id INTEGER,
  site_name TEXT,
  user_ids TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;

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
  frozen TEXT,
  operator INTEGER NOT NULL DEFAULT 0,
  last_seen_at INTEGER,
  UNIQUE (provider, subject)
) STRICT;
CREATE UNIQUE INDEX users_by_login ON users (provider, login);
CREATE INDEX users_by_page ON users (login COLLATE NOCASE, id);

-- Links that create an account or set a new password. A new link for a login replaces the one before.
CREATE TABLE account_links (
  kind TEXT NOT NULL,
  login TEXT NOT NULL COLLATE NOCASE,
  token_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  name TEXT,
  -- An invitation may make its person a member of a site.
  site_id INTEGER REFERENCES sites (id) ON DELETE SET NULL,
  member_role TEXT,
  invited_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (kind, login)
) STRICT, WITHOUT ROWID;

-- A user's own limits: kind is sites or bytes, and null is no limit. Without a row, the server's limit holds.
CREATE TABLE quotas (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  most INTEGER,
  PRIMARY KEY (user_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  idle_limit INTEGER NOT NULL,
  client_name TEXT NOT NULL,
  address TEXT,
  signed_in_at INTEGER,
  scope TEXT,
  client_id TEXT
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

-- OAuth clients that registered themselves. Without used_at, nobody has given them access.
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

CREATE TABLE oauth_codes (
  code_hash TEXT PRIMARY KEY,
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  resource TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  granted TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);

-- The tokens of a session that an OAuth client was given. The access token before the current one lives on until it
-- expires, because requests with it may be under way.
CREATE TABLE oauth_grants (
  session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL UNIQUE,
  resource TEXT NOT NULL,
  refresh_hash TEXT NOT NULL,
  access_hash TEXT NOT NULL UNIQUE,
  access_expires_at INTEGER NOT NULL,
  former_access_hash TEXT UNIQUE,
  former_access_expires_at INTEGER
) STRICT;

-- Public keys with which users sign in instead of a password. A key is valid for one host, its relying party.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  relying_party_id TEXT NOT NULL,
  public_key BLOB NOT NULL,
  algorithm INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE sites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  private INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_deployed_at INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  active_deployment_id INTEGER REFERENCES deployments (id),
  total_views INTEGER NOT NULL DEFAULT 0,
  frozen TEXT,
  preview_access TEXT NOT NULL DEFAULT 'site',
  preview_lifetime INTEGER,
  tags TEXT NOT NULL DEFAULT '[]',
  -- Days for which fingerprinted files of a replaced deployment are served; null for the server's setting. It is part of
  -- the retention policy, and here because visits need it.
  grace_days INTEGER,
  expires_at INTEGER,
  -- When the site's webhooks are to be told; null if they were, or need not be.
  expiry_notice_at INTEGER,
  -- Once it has expired, visitors get 410, and nothing can be changed.
  expired INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sites_by_owner ON sites (owner_id);
CREATE INDEX sites_expiring ON sites (expires_at) WHERE expires_at IS NOT NULL;

-- Names of deleted sites stay with their owner for a while, so that nobody takes over their links.
CREATE TABLE retired_names (
  name TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL,
  free_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The names that a site had before. While free_at is not null, requests for the name are sent to the site, and nobody else
-- can use it. The rows stay, because the activity of the site is found by name.
CREATE TABLE former_names (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  free_at INTEGER
) STRICT;
CREATE INDEX former_names_by_site ON former_names (site_id);
CREATE UNIQUE INDEX former_names_in_use ON former_names (name) WHERE free_at IS NOT NULL;

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
  -- 1 if the site's URL shows a 404 page with it, and showed a page with the deployment that it replaced.
  start_page_gone INTEGER NOT NULL DEFAULT 0,
  message TEXT,
  source_commit TEXT,
  source_ref TEXT,
  expires_at INTEGER,
  publication_id TEXT,
  -- The program that made it over MCP, as JSON.
  agent TEXT,
  UNIQUE (site_id, number)
) STRICT;
CREATE INDEX deployments_by_replacement ON deployments (site_id, replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX deployments_by_expiry ON deployments (expires_at) WHERE expires_at IS NOT NULL;

-- Deployments that no retention policy removes.
CREATE TABLE pins (
  deployment_id INTEGER PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE aliases (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (site_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_deployment ON aliases (deployment_id);
CREATE INDEX aliases_by_expiry ON aliases (expires_at) WHERE expires_at IS NOT NULL;

-- Labels of expired previews, aliases or numbers, whose hosts respond with 410 for a while.
CREATE TABLE expired_previews (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  expired_at INTEGER NOT NULL,
  PRIMARY KEY (site_id, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX expired_previews_by_time ON expired_previews (expired_at);

-- Sites without a row have the server's policy.
CREATE TABLE retention_policies (
  site_id INTEGER PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  keep_last INTEGER,
  keep_days INTEGER
) STRICT;

-- The rules of a deployment, compressed. Its files are rows of deployment_files.
CREATE TABLE manifests (
  deployment_id INTEGER PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
  rules BLOB NOT NULL
) STRICT;

CREATE TABLE contents (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  condemned_at INTEGER,
  -- 1 if the content was deployed as a text and is not UTF-8. It is sent without a charset.
  legacy_text INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX contents_condemned ON contents (condemned_at) WHERE condemned_at IS NOT NULL;

-- Content of deleted deployments that is deleted without a grace period. Rows stay for some hours: an upload that began
-- before may have written the content, and must write it again.
CREATE TABLE purges (
  digest TEXT PRIMARY KEY,
  requested_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX purges_pending ON purges (digest) WHERE done_at IS NULL;
CREATE INDEX purges_by_time ON purges (requested_at);

CREATE TABLE deployment_contents (
  deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  content_id INTEGER NOT NULL REFERENCES contents (id),
  PRIMARY KEY (deployment_id, content_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deployments_by_content ON deployment_contents (content_id);

CREATE TABLE deployment_files (
  deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  -- Of a content that deployment_contents names for the deployment.
  content_id INTEGER NOT NULL,
  PRIMARY KEY (deployment_id, path)
) STRICT, WITHOUT ROWID;

-- An encoding is content with a digest of its own.
CREATE TABLE encodings (
  content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
  coding TEXT NOT NULL,
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (content_id, coding)
) STRICT, WITHOUT ROWID;
CREATE INDEX encodings_by_digest ON encodings (digest);

-- The thread that encodes a content, and until when; null once it is encoded.
CREATE TABLE encoding_claims (
  content_id INTEGER PRIMARY KEY REFERENCES contents (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  holder TEXT NOT NULL,
  ends_at INTEGER
) STRICT;

-- The report of each deployment, what it is compared with, and the thread that makes it, until when.
CREATE TABLE reports (
  deployment_id INTEGER PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  baseline_id INTEGER,
  baseline_number INTEGER,
  report BLOB,
  compared INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  holder TEXT NOT NULL,
  ends_at INTEGER
) STRICT;
CREATE INDEX reports_to_make ON reports (deployment_id) WHERE NOT compared;

-- What reports need of a content, by how it is read. They can be read again.
CREATE TABLE content_facts (
  content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
  reader TEXT NOT NULL,
  version INTEGER NOT NULL,
  links INTEGER NOT NULL,
  -- 32-bit hashes of the ids of a page. Null if they are unknown.
  anchors BLOB,
  -- Null if they are too large.
  facts BLOB,
  PRIMARY KEY (content_id, reader)
) STRICT, WITHOUT ROWID;

-- Objects in S3 that were sent or will be. content_locations has the content in them.
CREATE TABLE content_objects (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- Null until the object is stored.
  size INTEGER,
  intended_at INTEGER NOT NULL,
  condemned_at INTEGER
) STRICT;
CREATE INDEX content_objects_condemned ON content_objects (condemned_at) WHERE condemned_at IS NOT NULL;

CREATE TABLE content_locations (
  digest TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  object_id INTEGER NOT NULL REFERENCES content_objects (id),
  offset INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  -- The upload that may remove it; null once another one relies on it.
  writer TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX content_locations_by_object ON content_locations (object_id);
CREATE INDEX content_locations_by_writer ON content_locations (writer) WHERE writer IS NOT NULL;

-- One row, once content was in a bucket. The address is null while it is in the data folder.
CREATE TABLE content_bucket (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  owner TEXT NOT NULL,
  address TEXT
) STRICT;

-- Days are counted from the epoch, in UTC. `visitors` is a sketch that identifies nobody.
CREATE TABLE view_days (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  views INTEGER NOT NULL,
  bot_views INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  visitors BLOB NOT NULL,
  PRIMARY KEY (site_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE view_hours (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  views INTEGER NOT NULL,
  bot_views INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  visitors BLOB NOT NULL,
  PRIMARY KEY (site_id, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX view_hours_by_hour ON view_hours (hour);

-- Pages, referring hosts, countries and paths that were not found, by kind.
CREATE TABLE view_names (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  -- Of lost assets, within ten seconds; null for other kinds.
  last_at INTEGER,
  PRIMARY KEY (site_id, day, kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE view_salts (
  day INTEGER PRIMARY KEY,
  salt TEXT NOT NULL
) STRICT;

-- The latest batch of each thread that counts views, so that none is added twice, and the hour in which it was added.
CREATE TABLE view_writers (
  writer TEXT PRIMARY KEY,
  batch INTEGER NOT NULL,
  hour INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
  owner_id TEXT,
  -- The user who added it. Its tokens may do at most what they may.
  maker_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX publishers_by_site ON publishers (site_id);
CREATE INDEX publishers_by_maker ON publishers (maker_id);

-- ID tokens that were exchanged, by the SHA-256 of issuer and identifier, until they are too old to be accepted.
CREATE TABLE used_id_tokens (
  token_hash TEXT PRIMARY KEY,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_id_tokens_by_end ON used_id_tokens (ends_at);

CREATE TABLE deployment_tokens (
  id TEXT PRIMARY KEY,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  permission TEXT NOT NULL DEFAULT 'publish' CHECK (permission IN ('publish', 'preview')),
  publisher_id TEXT REFERENCES publishers (id) ON DELETE CASCADE,
  -- The user who made it. It may do at most what they may.
  maker_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX deployment_tokens_by_site ON deployment_tokens (site_id);
CREATE INDEX deployment_tokens_by_maker ON deployment_tokens (maker_id);
CREATE INDEX deployment_tokens_by_publisher ON deployment_tokens (publisher_id) WHERE publisher_id IS NOT NULL;

-- Certificates that exist or are wanted; attempts, pending, current and renewal are JSON. Keys are in plain PEM: only the
-- server's user can read the file.
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
  -- The revision of the whole set when `current` was stored.
  revision INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE released_attempts (
  subject TEXT PRIMARY KEY,
  attempts TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The root of the local CA, and the fallback for unknown names.
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

-- Users who may view a private site, besides its owner. The list stays while the site is public.
CREATE TABLE readers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  group_name TEXT,
  created_at INTEGER NOT NULL,
  CHECK ((user_id IS NULL) <> (group_name IS NULL)),
  UNIQUE (site_id, user_id),
  UNIQUE (site_id, group_name)
) STRICT;
CREATE INDEX readers_by_user ON readers (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX readers_by_group ON readers (group_name) WHERE group_name IS NOT NULL;

-- People and groups with a role on a site besides its owner: each row has a user or a group of the OIDC provider.
CREATE TABLE members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  group_name TEXT,
  role TEXT NOT NULL CHECK (role IN ('maintainer', 'deployer')),
  added_at INTEGER NOT NULL,
  added_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  CHECK ((user_id IS NULL) <> (group_name IS NULL)),
  UNIQUE (site_id, user_id),
  UNIQUE (site_id, group_name)
) STRICT;
CREATE INDEX members_by_user ON members (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX members_by_group ON members (group_name) WHERE group_name IS NOT NULL;
CREATE INDEX members_by_adder ON members (added_by) WHERE added_by IS NOT NULL;

-- The groups of the OIDC provider in which users are, as a sign-in told them. They hold for a time from then on.
CREATE TABLE user_groups (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_groups_by_name ON user_groups (name);

-- What the last sign-in of a user told of their groups, if the provider was asked.
CREATE TABLE group_reports (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL
) STRICT;

-- Access to a private site without an account. `target` is the part of the host before `--`, empty for hosts that show the
-- active deployment. A password is stored in PHC form, other secrets as their SHA-256.
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
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  scope TEXT,
  granted TEXT
) STRICT;

-- Sign-ins that wait for the provider. `sealed` can be read only with the browser's secret.
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

-- One row at most: the link that creates the first account.
CREATE TABLE setup_links (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  code_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- Claims of hostnames. Ended ones stay, so that creations can be counted and owners see them.
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
  -- The lease of the check: its holder and end, when the last one was released, and whether no resolver responded.
  check_holder TEXT,
  check_until INTEGER,
  checked_at INTEGER,
  check_silent INTEGER NOT NULL DEFAULT 0,
  alias TEXT
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
  ends_at INTEGER NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE job_failures (
  name TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  not_before INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE job_runs (
  name TEXT PRIMARY KEY,
  last_run_at INTEGER NOT NULL,
  last_duration_ms INTEGER NOT NULL,
  last_error TEXT,
  next_run_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_steps (
  length TEXT NOT NULL,
  at INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (length, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE incidents (
  name TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

-- Who changed what. Each entry's hash depends on all entries before it, and no statement changes an entry.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  site TEXT,
  subject TEXT NOT NULL,
  hash TEXT NOT NULL,
  user_id INTEGER
) STRICT;
CREATE INDEX audit_by_site ON audit (site, id);
CREATE INDEX audit_by_user ON audit (user_id, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- One row: the last entry that was deleted for its age. The hash of the oldest remaining entry depends on it.
CREATE TABLE audit_anchor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_id INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO audit_anchor (id, last_id, hash) VALUES (1, 0, '');
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
WHEN OLD.id > (SELECT last_id FROM audit_anchor)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- The anchor moves only forward, and to an existing entry.
CREATE TRIGGER audit_anchor_is_an_entry BEFORE UPDATE ON audit_anchor
WHEN NEW.last_id <= OLD.last_id OR NEW.hash IS NOT (SELECT hash FROM audit WHERE id = NEW.last_id)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  site_id INTEGER REFERENCES sites (id) ON DELETE SET NULL,
  url TEXT NOT NULL,
  -- A list in JSON; null for all types.
  events TEXT,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  failing_since INTEGER,
  disabled_at INTEGER,
  disabled_reason TEXT,
  owner_id INTEGER,
  slow_answers INTEGER NOT NULL DEFAULT 0,
  rests_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_by_site ON webhooks (site_id);

-- The ID is random: after a restore, a number would be used again, and receivers would take it for a repetition.
CREATE TABLE webhook_events (
  id TEXT PRIMARY KEY DEFAULT ('msg_' || lower(hex(randomblob(16)))),
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL REFERENCES webhook_events (id) ON DELETE CASCADE,
  status TEXT NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  taken_until INTEGER,
  attempted_at INTEGER,
  status_code INTEGER,
  error TEXT,
  duration INTEGER
) STRICT;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_taken ON webhook_deliveries (webhook_id) WHERE taken_until IS NOT NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
