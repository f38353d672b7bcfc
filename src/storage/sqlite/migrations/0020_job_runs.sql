-- How the latest run of each job ended, for operators.
CREATE TABLE job_runs (
  name TEXT PRIMARY KEY,
  last_run_at INTEGER NOT NULL,
  last_duration_ms INTEGER NOT NULL,
  last_error TEXT,
  next_run_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
