-- Why a deployment was made and of which commit, in the words of whoever made it; null where nothing was said.
ALTER TABLE deployments ADD COLUMN message TEXT;
ALTER TABLE deployments ADD COLUMN source_commit TEXT;
ALTER TABLE deployments ADD COLUMN source_ref TEXT;
