-- What schema 4 adds: a webhook that fails, with an event that it is still to be told.

INSERT INTO webhooks (id, site_id, url, events, secret, previous_secret, previous_secret_until, created_at, failing_since,
    disabled_at, disabled_reason)
  SELECT '5f0c1d2e3a4b5c6d7e8f', min(id), 'https://hooks.example.org/', '["deployment.published"]', 'whsec_AAAA', 'whsec_BBBB',
    1793611809000, 1793525409000, 1793525410000, NULL, NULL FROM sites;
INSERT INTO webhook_events (id, type, at, data)
  VALUES ('msg_0', 'deployment.published', 1793525409000, '{"site_name":"notes","deployment_number":1}');
INSERT INTO webhook_deliveries (webhook_id, event_id, status, attempts, next_attempt_at, taken_until, attempted_at,
    status_code, error, duration)
  VALUES ('5f0c1d2e3a4b5c6d7e8f', 'msg_0', 'pending', 1, 1793525415000, NULL, 1793525410000, 503, 'answered 503', 84);
