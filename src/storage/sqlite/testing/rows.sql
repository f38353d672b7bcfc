-- Rows in every table. Tests of migrations and of copies start from them.

INSERT INTO routing_changes (slot, generation, sites) VALUES
  (7, 7, '[1]');

INSERT INTO live_events (id, at, type, audience, site_id, site_name, user_ids, details) VALUES
  (1, 1700000000000, 'deployment.published', 'readers', 1, NULL, '[]', '{"deployment_number":1}');

INSERT INTO users (id, provider, subject, login, name, avatar_url, may_own, password_hash, created_at, frozen, operator, last_seen_at) VALUES
  (1, 'local', '5b6e3c0c-8d6f-4f53-9df2-0a9b9a1f6f01', 'ada', 'Ada Lovelace', NULL, 1, '$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g', 1793525400000, NULL, 0, 1793525400000),
  (2, 'github', '1016', 'Grace', NULL, 'https://avatars.example.org/1016', 0, NULL, 1793525400001, '{"at":1793525409000,"reason":"unpaid"}', 0, NULL);

INSERT INTO account_links (kind, login, token_hash, user_id, name, site_id, member_role, invited_by, expires_at) VALUES
  ('invitation', 'margaret', '0perat0r0000000000000000000000000000000000000000000000000000link', NULL, 'Margaret', 1, 'deployer', 1, 1793525425000);

INSERT INTO quotas (user_id, kind, most) VALUES
  (1, 'bytes', NULL),
  (1, 'sites', 12);

INSERT INTO sessions (id, user_id, token_hash, created_at, last_used_at, expires_at, idle_limit, client_name, address, signed_in_at, scope, client_id) VALUES
  (1, 1, '3f3af1ecebbd1410ab417ec0d27bbfcb5d340e177ae159b59fc8626c2dfd9175', 1793525400000, 1793525400000, 1801301400000, 2592000000, 'Firefox on Linux', '203.0.113.9', NULL, NULL, NULL),
  (2, 1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d', 1793525400000, 1793525400000, 1801301400000, 2592000000, 'Claude', '203.0.113.9', NULL, '{"permission":"preview","sites":[{"id":1,"name":"notes"}],"newSites":true}', '0123456789abcdef0123456789abcdef');

INSERT INTO oauth_clients (id, name, redirect_uris, created_at, used_at) VALUES
  ('0123456789abcdef0123456789abcdef', 'Claude', '["https://claude.ai/api/mcp/auth_callback"]', 1793525300000, 1793525400000),
  ('fedcba9876543210fedcba9876543210', 'An editor', '["http://127.0.0.1/callback"]', 1793525300000, NULL);

INSERT INTO oauth_codes (code_hash, client_id, client_name, redirect_uri, challenge, resource, user_id, granted, expires_at) VALUES
  ('4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a', '0123456789abcdef0123456789abcdef', 'Claude', 'https://claude.ai/api/mcp/auth_callback', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 'https://pages.example.org/mcp', 1, '{"limit":{"permission":"preview","sites":[{"id":1,"name":"notes"}]},"lifetime":null}', 1793525460000);

INSERT INTO oauth_grants (session_id, code_hash, resource, refresh_hash, access_hash, access_expires_at, former_access_hash, former_access_expires_at) VALUES
  (2, 'dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986', 'https://pages.example.org/mcp', '084fed08b978af4d7d196a7446a86b58009e636b611db16211b65a9aadff29c5', 'e52d9c508c502347344d8c07ad91cbd6068afc75ff6292f062a09ca381c89e71', 1793529000000, NULL, NULL);

INSERT INTO passkeys (id, user_id, name, credential_id, relying_party_id, public_key, algorithm, counter, created_at, last_used_at) VALUES
  ('9f0c1d2e3a4b5c6d7e8f', 1, 'Laptop', 'AQIDBAUGBwgJCgsMDQ4PEA', 'localhost', X'a5010203262001', -7, 0, 1793525400000, NULL);

INSERT INTO sites (id, name, owner_id, private, created_at, last_deployed_at, last_number, active_deployment_id, total_views, frozen, preview_access, preview_lifetime, tags, expires_at, expiry_notice_at, expired) VALUES
  (1, 'notes', 1, 0, 1793525401000, 1793525403000, 3, 2, 0, NULL, 'private', 1209600000, '[]', NULL, NULL, 0),
  (2, 'diary', 1, 1, 1793525404000, 1793525404000, 1, 4, 0, NULL, 'site', NULL, '["client","docs"]', 1793625404000, 1793539004000, 0);

INSERT INTO former_names (id, site_id, name, since, until, free_at) VALUES
  (1, 1, 'jottings', 1793525401000, 1793525402000, NULL),
  (2, 1, 'scribbles', 1793525402000, 1793525403000, 1801301403000);

INSERT INTO retired_names (name, owner_id, free_at) VALUES
  ('old-blog', 1, 1796117400000);

INSERT INTO deployments (id, site_id, number, created_at, activated_at, replaced_at, source, actor, file_count, size_bytes, warnings, message, source_commit, source_ref, expires_at, publication_id, agent) VALUES
  (1, 1, 1, 1793525401000, 1793525401000, 1793525402000, 'session', 'ada', 2, 2060, '[]', NULL, NULL, NULL, 1796117400000, NULL, NULL),
  (2, 1, 2, 1793525402000, 1793525405000, NULL, 'session', 'ada', 2, 2061, '[{"file":"_redirects","line":3,"message":"a status that no rule may have: 999"}]', NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 1, 3, 1793525403000, 1793525403000, 1793525405000, 'session', 'ada', 2, 2062, '[]', 'Fix the typo', '9fceb02d0ae598e95dc970b74767f19372d61af8', 'refs/heads/main', NULL, NULL, '{"id":"client c of 1","name":"Claude"}'),
  (4, 2, 1, 1793525404000, 1793525404000, NULL, 'session', 'ada', 2, 2063, '[]', NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO pins (deployment_id) VALUES
  (1);

INSERT INTO aliases (site_id, name, deployment_id, created_at, updated_at, expires_at) VALUES
  (1, 'pr-12', 1, 1793525401000, 1793525401000, 1796117400000);

INSERT INTO expired_previews (site_id, label, expired_at) VALUES
  (1, 'pr-11', 1793525401000);

INSERT INTO retention_policies (site_id, keep_last, keep_days) VALUES
  (1, 20, NULL);

INSERT INTO manifests (deployment_id, rules) VALUES
  (1, X'28b52ffd20318901007b22726564697265637473223a5b5d2c2268656164657273223a5b5d2c226572726f72506167654465707468223a2d317d'),
  (2, X'28b52ffd20318901007b22726564697265637473223a5b5d2c2268656164657273223a5b5d2c226572726f72506167654465707468223a2d317d'),
  (3, X'28b52ffd20318901007b22726564697265637473223a5b5d2c2268656164657273223a5b5d2c226572726f72506167654465707468223a2d317d'),
  (4, X'28b52ffd20318901007b22726564697265637473223a5b5d2c2268656164657273223a5b5d2c226572726f72506167654465707468223a2d317d');

INSERT INTO contents (id, digest, size, published_at, condemned_at) VALUES
  (1, '73cc79ce4dfab9136cf801cb1f40b075454a0e033fc1fc9d97ff83b23583517e', 12, 1793525401000, NULL),
  (2, 'a172cedcae47474b615c54d510a5d84a8dea3032e958587430b413538be3f333', 2048, 1793525404000, NULL),
  (3, '4b99d1475f23dbcad0c1f3ce4e9ac3300002ab71f403af4a2e2f91047002d0af', 13, 1793525402000, NULL),
  (4, '12cb2355a3363ff187fbba06b0eda5c3d8d464775b44a658bbda9b239bfc9076', 14, 1793525403000, NULL),
  (5, '1066286517d2781130bdc7b826c4a6e805f5f78ef003062395c1c41b1fea3997', 15, 1793525404000, NULL),
  (9001, 'c04de34ed0000000000000000000000000000000000000000000000000000000', 5, 1793525425000, 1793525426000);

INSERT INTO purges (digest, requested_at, done_at) VALUES
  ('c04de34ed0000000000000000000000000000000000000000000000000000000', 1793525426000, NULL);

INSERT INTO deployment_contents (deployment_id, content_id) VALUES
  (1, 1),
  (1, 2),
  (2, 2),
  (3, 2),
  (4, 2),
  (2, 3),
  (3, 4),
  (4, 5);

INSERT INTO deployment_files (deployment_id, path, content_id) VALUES
  (1, 'assets/app-4f2a91c3.js', 2),
  (1, 'index.html', 1),
  (2, 'assets/app-4f2a91c3.js', 2),
  (2, 'index.html', 3),
  (3, 'assets/app-4f2a91c3.js', 2),
  (3, 'index.html', 4),
  (4, 'assets/app-4f2a91c3.js', 2),
  (4, 'index.html', 5);

INSERT INTO encodings (content_id, coding, digest, size) VALUES
  (1, 'br', 'e1c0ded000000000000000000000000000000000000000000000000000000000', 21);

INSERT INTO encoding_claims (content_id, epoch, holder, ends_at) VALUES
  (1, 1, 'node', NULL),
  (2, 3, 'node', 1793527230000);

INSERT INTO reports (deployment_id, status, baseline_id, baseline_number, report, compared, epoch, attempts, holder, ends_at) VALUES
  (1, 'failed', NULL, NULL, NULL, 1, 6, 6, 'node', NULL),
  (2, 'pending', 1, 1, NULL, 0, 1, 1, 'node', 1793527230000);

INSERT INTO content_facts (content_id, reader, version, links, anchors, facts) VALUES
  (1, 'page', 1, 3, x'01000000', x'28b52ffd'),
  (2, 'text', 1, 0, NULL, NULL);

INSERT INTO content_objects (id, name, size, intended_at, condemned_at) VALUES
  (1, 'content/019ab0c4-0000-7000-8000-000000000001', 11, 1795399200000, NULL),
  (2, 'content/019ab0c4-0000-7000-8000-000000000002', NULL, 1795399260000, 1795485660000);

INSERT INTO content_locations (digest, size, object_id, offset, written_at, writer) VALUES
  ('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', 5, 1, 0, 1795399201000, NULL),
  ('a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e', 6, 1, 5, 1795399201000, 'writer');

INSERT INTO content_bucket (id, owner, address) VALUES
  (1, 'owner', 's3://bucket/prefix');

INSERT INTO view_days (site_id, day, views, bot_views, bytes, visitors) VALUES
  (1, 20758, 12, 3, 40960, X'000102030405');

INSERT INTO view_hours (site_id, hour, views, bot_views, bytes, visitors) VALUES
  (2, 490000, 3, 1, 48213, X'0000000700000008');

INSERT INTO view_names (site_id, day, kind, name, count, last_at) VALUES
  (1, 20758, 'lost', '/app-0a1b2c3d.js', 2, 1793525425000),
  (1, 20758, 'page', '/', 12, NULL),
  (1, 20758, 'referrer', 'example.org', 4, NULL);

INSERT INTO view_salts (day, salt) VALUES
  (20758, 'c2FsdCBvZiBhIGRheQ');

INSERT INTO view_writers (writer, batch, hour) VALUES
  ('one', 17, 498691);

INSERT INTO publishers (id, site_id, provider, issuer, repository, workflow, ref, environment, permission, created_at, last_used_at, repository_id, owner_id, maker_id) VALUES
  ('5f0c1d2e3a4b5c6d7e8f', 1, 'github', 'https://token.actions.githubusercontent.com', 'octo/notes', 'deploy.yml', 'refs/heads/main', NULL, 'publish', 1793525425000, 1793525426000, '74', '65', 1);

INSERT INTO used_id_tokens (token_hash, ends_at) VALUES
  ('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', 1793526026000);

INSERT INTO deployment_tokens (id, site_id, name, token_hash, created_at, expires_at, last_used_at, permission, publisher_id, maker_id) VALUES
  ('0b0d5f0e-3f0c-4a62-9a42-2f8a1e1c7b11', 1, 'CI', '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', 1793525403000, NULL, 1793525404000, 'preview', NULL, 1);

INSERT INTO certificates (subject, identifiers, challenge, origin, attempts, pending, current, issued_at, renewal, revision) VALUES
  ('www.example.org', '["www.example.org"]', 'http-01', 'claim', '{"failures":0,"refusals":0,"failedValidations":[],"lastAt":null,"wait":0,"blockedUntil":{},"unprobedAt":null,"error":null}', NULL, '{"chain":"chain in PEM","key":"key in PEM","names":["www.example.org"],"notBefore":1793525400000,"notAfter":1801301400000,"serial":"04a1"}', 1793525400000, NULL, 1);

INSERT INTO released_attempts (subject, attempts, until) VALUES
  ('gone.example.org', '{"failures":0,"refusals":0,"failedValidations":[1793525409000],"lastAt":null,"wait":0,"blockedUntil":{},"unprobedAt":null,"error":null}', 1793529009000);

INSERT INTO own_certificates (name, chain, key) VALUES
  ('fallback', 'chain in PEM', 'key in PEM');

INSERT INTO acme_accounts (directory, key, url) VALUES
  ('https://ca.example.org/directory', 'key in PEM', 'https://ca.example.org/account/1');

INSERT INTO acme_orders (directory, placed_at) VALUES
  ('https://ca.example.org/directory', 1793525400000);

INSERT INTO acme_challenges (type, name, value, expires_at) VALUES
  ('http-01', 'token', 'token.thumbprint', 1793529000000);

INSERT INTO readers (id, site_id, user_id, group_name, created_at) VALUES
  (1, 2, 2, NULL, 1793525406000),
  (2, 2, NULL, 'staff', 1793525406000);

INSERT INTO user_groups (user_id, name, told_at) VALUES
  (2, 'team', 1793525406000);

INSERT INTO group_reports (user_id, at, outcome) VALUES
  (2, 1793525406000, 'told');

INSERT INTO members (id, site_id, user_id, group_name, role, added_at, added_by) VALUES
  (1, 1, 2, NULL, 'deployer', 1793525406000, 1),
  (2, 1, NULL, 'team', 'maintainer', 1793525406000, NULL);

INSERT INTO shares (id, site_id, label, kind, target, secret_hash, password_hash, created_at, expires_at, uses, last_used_at) VALUES
  ('7f0c1d2e3a4b5c6d7e8f', 1, 'The client', 'link', '', 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9', NULL, 1793525427000, 1796117427000, 1, 1793525428000);

INSERT INTO share_visits (token_hash, share_id, host, created_at, expires_at) VALUES
  ('baa5a0964d3320fbc0c6a922140453c8513ea24ab8fd0577034804a967248096', '7f0c1d2e3a4b5c6d7e8f', 'notes.localhost', 1793525428000, 1793568628000);

INSERT INTO device_codes (id, device_code_hash, user_code_hash, client_name, address, created_at, expires_at, poll_interval, last_polled_at, verdict, user_id, scope, granted) VALUES
  (1, '263a4dbe41488fb87214b0032339dbb9f0c8da14c16dfcf13084bf3c2552eca5', '9720d8f8ad0d7dc456ea6cb849fb636c12fdf024fdfc8b97ff53dbe1c8b18efb', 'vitrine', '203.0.113.9', 1793525400000, 1793526300000, 5000, 1793525405000, 'pending', NULL, NULL, NULL);

INSERT INTO sign_in_attempts (secret_hash, sealed, expires_at, next_poll_at) VALUES
  ('c7ce66d0fb14e3c2d4d920918cc6cc7e488668b08dddeb7b85e44de3b9f3eb01', 'c2VhbGVk', 1793526000000, 1793525400000);

INSERT INTO visit_codes (code_hash, state_hash, host, site_id, user_id, session_id, path, expires_at) VALUES
  ('738d227498e90338712760b3dfb9ff382383041790276dc5955c27c6420dab62', '4ba69735ca53765ed6a709edb56c6ea236b7193a3b29a6b390c346f0f4340e4e', 'diary.example.org', 2, 2, 1, '/today', 1793525460000);

INSERT INTO visits (token_hash, host, site_id, user_id, session_id, expires_at) VALUES
  ('f0e68ac26df2184062ae2a945cd0b5e58466d75d6858359b7127776e9710a364', 'diary.example.org', 2, 2, 1, 1793611800000);

INSERT INTO rate_events (id, key, at) VALUES
  (1, 'sign-in 203.0.113.9', 1793525400000);

INSERT INTO setup_links (id, code_hash, expires_at) VALUES
  (1, 'b1b1bdb480c61d075300d9bff7d9cb69cf31695ea048e478facadf426e8d0fb0', 1793527200000);

INSERT INTO claims (id, revision, hostname, site_id, owner_id, status, proof_token, probe_token, probe_answer, created_at, expires_at, verified_at, withdrawn_at, removal_requested_at, route_status, route_generation, route_error, mode, effective_mode, target_mode, observed_mode, transition_started_at, transition_deadline_at, transition_error, cancelled_mode, challenge_seen_at, activated_at, activation_checked_at, activation_error, last_checked_at, last_error, diagnostics, astray_since, gone_since, proof_misses, ladder, attempts, next_check_at, check_holder, check_until, checked_at, check_silent, alias) VALUES
  (1, 7, 'www.example.org', 1, 1, 'verified', 'proof', 'probe', 'answer', 1793525400000, 1794130200000, 1793525460000, NULL, NULL, 'routed', 2, NULL, 'direct', 'direct', NULL, 'direct', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1793611800000, NULL, NULL, NULL, NULL, 0, 'resting', 0, 1793698200000, NULL, NULL, 1793611800000, 0, NULL);

INSERT INTO leases (name, holder, ends_at, epoch) VALUES
  ('scheduler', 'c0ffee', 1793525415000, 2);

INSERT INTO job_failures (name, failures, not_before) VALUES
  ('sweep', 2, 1793525520000);

INSERT INTO job_runs (name, last_run_at, last_duration_ms, last_error, next_run_at) VALUES
  ('sweep', 1767225600000, 1240, NULL, 1767229200000);

INSERT INTO metric_steps (length, at, figures) VALUES
  ('minute', 1767225600000, '{"counts":{},"latency":[],"gauges":{},"starts":[]}');

INSERT INTO incidents (name, since) VALUES
  ('backup', 1795399200000);

INSERT INTO backups (id, place, created_at, state, bytes, progress, error, attempts, retry_at, verified_at, verifying) VALUES
  ('20261122T020000000Z', 's3://backups/vitrine/', 1795312800000, 'done', 48213, 1, NULL, 1, NULL, 1795316400000, 0),
  ('20261123T020000000Z', 's3://backups/vitrine/', 1795399200000, 'failed', 0, 0, 'connection refused', 2, 1795399500000, NULL, 0);

INSERT INTO audit (id, at, kind, actor, address, action, site, subject, hash, user_id) VALUES
  (1, 1793525401000, 'session', 'ada', '203.0.113.9', 'POST /deploy', 'notes', '', 'c78eca672d0bd0bb169baa03bee46226d4c24c8ceaccafb94051bbc657536a33', NULL),
  (2, 1793525404000, 'deployment_token', 'CI', '2001:db8::7', 'POST /deploy', 'notes', '', '04610d82cfc93f0cb67726ae75827b2bf0a9607afce91a3744d472671ad51e30', NULL),
  (3, 1793525405000, 'session', 'ada', '203.0.113.9', 'POST /sites/:name/deployments/:deployment_number/activate', 'notes', 'deployment_number=2', '1ee467a26581681c4b835fc61e33a6a49e2e3308950a79f99283643fa36ea249', NULL),
  (4, 1793525407000, 'operator', 'root', '', 'users add', NULL, 'Grace', '0bd0bd652262481c10899971594bcbdf4a00ed99ec58e3922c24e30b2f6ddbdc', NULL),
  (5, 1793525408000, 'session', 'ada', '203.0.113.9', 'PUT /sites/:name/access', 'diary', '', '6a860ad88af480d351cb7a6811ba46e412a4b9d0812a12f45581dd8b38f0c73a', 1);

INSERT INTO webhooks (id, site_id, url, events, secret, previous_secret, previous_secret_until, created_at, failing_since, disabled_at, disabled_reason, owner_id, slow_answers, rests_until) VALUES
  ('5f0c1d2e3a4b5c6d7e8f', 1, 'https://hooks.example.org/', '["deployment.published"]', 'whsec_AAAA', 'whsec_BBBB', 1793611809000, 1793525409000, 1793525410000, NULL, NULL, 1, 2, 1793525425000);

INSERT INTO webhook_events (id, type, at, data) VALUES
  ('msg_0', 'deployment.published', 1793525409000, '{"site_name":"notes","deployment_number":1}');

INSERT INTO webhook_deliveries (id, webhook_id, event_id, status, attempts, next_attempt_at, taken_until, attempted_at, status_code, error, duration) VALUES
  (1, '5f0c1d2e3a4b5c6d7e8f', 'msg_0', 'pending', 1, 1793525415000, NULL, 1793525410000, 503, 'answered 503', 84);
