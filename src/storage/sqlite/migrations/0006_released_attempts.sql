-- What a CA counts, or asked for, outlives the certificate that it was about: a name may be claimed anew within the hour.
CREATE TABLE released_attempts (
  subject TEXT PRIMARY KEY,
  attempts TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
