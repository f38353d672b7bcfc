-- Since when and why the operator froze somebody or a site, as JSON; null where nothing is frozen. A person's freeze holds
-- for all their sites.
ALTER TABLE users ADD COLUMN frozen TEXT;
ALTER TABLE sites ADD COLUMN frozen TEXT;

-- A person's own limits, one row each: kind is sites or bytes, and without a number there is no limit. Where there is no
-- row, the instance's limit holds.
CREATE TABLE quotas (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  most INTEGER,
  PRIMARY KEY (user_id, kind)
) STRICT, WITHOUT ROWID;
