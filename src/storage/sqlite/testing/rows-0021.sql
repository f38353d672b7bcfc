INSERT INTO live_events (at, type, audience, site_id, site_name, user_ids, details)
VALUES (1700000000000, 'deployment.published', 'readers', 1, NULL, '[]', '{"deployment_number":1}');
