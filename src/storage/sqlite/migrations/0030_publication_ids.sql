-- Identifies the deployment of a publication whose commit was not answered, which happens on PostgreSQL.
ALTER TABLE deployments ADD COLUMN publication_id TEXT;
