-- The owner's labels for a site, as a JSON array of text.
ALTER TABLE sites ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
