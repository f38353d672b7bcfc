-- What schema 26 adds: a complete backup, one that is to be tried again, and what the operator was told of it.

INSERT INTO backups (id, place, created_at, state, bytes, progress, error, attempts, retry_at, verified_at, verifying) VALUES
  ('20261122T020000000Z', 's3://backups/vitrine/', 1795312800000, 'done', 48213, 1, NULL, 1, NULL, 1795316400000, 0),
  ('20261123T020000000Z', 's3://backups/vitrine/', 1795399200000, 'failed', 0, 0, 'connection refused', 2, 1795399500000, NULL, 0);

INSERT INTO incidents (name, since) VALUES ('backup', 1795399200000);
