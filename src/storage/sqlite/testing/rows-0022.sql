-- What schema 22 adds: content that was encoded, and content that is being encoded.

INSERT INTO encoding_claims (content_id, epoch, holder, ends_at) VALUES (1, 1, 'node', NULL), (2, 3, 'node', 1793527230000);

INSERT INTO encodings (content_id, coding, digest, size) VALUES
  (1, 'br', 'e1c0ded000000000000000000000000000000000000000000000000000000000', 21);
