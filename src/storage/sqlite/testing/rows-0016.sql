-- What schema 16 adds: a policy for previews, an alias, and a preview that has expired.

UPDATE sites SET preview_access = 'private', preview_lifetime = 1209600000 WHERE id = 1;
UPDATE deployments SET expires_at = 1796117400000 WHERE id = 1;

INSERT INTO aliases (site_id, name, deployment_id, created_at, updated_at, expires_at)
VALUES (1, 'pr-12', 1, 1793525401000, 1793525401000, 1796117400000);

INSERT INTO expired_previews (site_id, label, expired_at) VALUES (1, 'pr-11', 1793525401000);
