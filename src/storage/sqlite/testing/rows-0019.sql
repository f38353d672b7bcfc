-- What schema 19 adds: a site with tags.

UPDATE sites SET tags = '["client","docs"]' WHERE id = (SELECT max(id) FROM sites);
