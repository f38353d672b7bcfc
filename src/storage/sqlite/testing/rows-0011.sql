-- What schema 11 adds: content that is condemned.

INSERT INTO contents (id, digest, size, published_at, condemned_at)
VALUES (9001, 'c0ndemned00000000000000000000000000000000000000000000000000000000', 5, 1793525425000, 1793525426000);
