-- An encoding is content with a digest of its own. What was encoded before has none, and is encoded again.
DROP TABLE encodings;

CREATE TABLE encodings (
  content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
  coding TEXT NOT NULL,
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (content_id, coding)
) STRICT, WITHOUT ROWID;

CREATE INDEX encodings_by_digest ON encodings (digest);

-- Who encodes a content, and until when; without an end it has been encoded.
CREATE TABLE encoding_claims (
  content_id INTEGER PRIMARY KEY REFERENCES contents (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  holder TEXT NOT NULL,
  ends_at INTEGER
) STRICT;
