-- Views by hour, of the last two days.
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
