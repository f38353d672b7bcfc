-- What was measured in each minute of the last day and each hour of the last 30 days, for operators.
CREATE TABLE metric_steps (
  length TEXT NOT NULL,
  at INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (length, at)
) STRICT, WITHOUT ROWID;
