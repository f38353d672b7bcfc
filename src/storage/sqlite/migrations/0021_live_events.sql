-- What event streams are told: the last few minutes. AUTOINCREMENT, so that no id is given twice once rows are dropped.
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
