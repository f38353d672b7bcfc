-- Content that nothing refers to is condemned first, and deleted after a grace: until then it is published no more.
ALTER TABLE contents ADD COLUMN condemned_at INTEGER;

CREATE INDEX contents_condemned ON contents (condemned_at) WHERE condemned_at IS NOT NULL;
