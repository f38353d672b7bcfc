-- The latest batch of each thread that counts views, so that none is added twice, and the hour in which it was added.
CREATE TABLE view_writers (
  writer TEXT PRIMARY KEY,
  batch INTEGER NOT NULL,
  hour INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
