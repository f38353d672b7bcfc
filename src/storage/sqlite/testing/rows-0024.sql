-- What schema 24 adds: an hour of a site with two visitors.

INSERT INTO view_hours (site_id, hour, views, bot_views, bytes, visitors)
  SELECT max(id), 490000, 3, 1, 48213, x'0000000700000008' FROM sites;
