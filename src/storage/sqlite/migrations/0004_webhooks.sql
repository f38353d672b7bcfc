-- Addresses that hear what happens to a site. One whose site is gone still tells what it has to, and is then forgotten.
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
  disabled_reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_by_site ON webhooks (site_id);

-- The id is random: after a restore, a number would be given out again, and receivers take it for a repetition.
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
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_taken ON webhook_deliveries (webhook_id) WHERE taken_until IS NOT NULL;
