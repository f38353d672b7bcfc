-- A token with the permission `preview` cannot activate deployments.
ALTER TABLE deployment_tokens ADD COLUMN permission TEXT NOT NULL DEFAULT 'publish'
  CHECK (permission IN ('publish', 'preview'));
