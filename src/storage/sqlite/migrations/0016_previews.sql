-- Previews are deployments that were never activated. Who may see them, and how long new ones are kept in milliseconds;
-- null for the default.
ALTER TABLE sites ADD COLUMN preview_access TEXT NOT NULL DEFAULT 'site';
ALTER TABLE sites ADD COLUMN preview_lifetime INTEGER;

-- When a preview is deleted; null for deployments that are kept.
ALTER TABLE deployments ADD COLUMN expires_at INTEGER;
CREATE INDEX deployments_by_expiry ON deployments (expires_at) WHERE expires_at IS NOT NULL;

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

-- Aliases, and numbers of deployments, whose addresses answer 410 for a while.
CREATE TABLE expired_previews (
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  expired_at INTEGER NOT NULL,
  PRIMARY KEY (site_id, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX expired_previews_by_time ON expired_previews (expired_at);
