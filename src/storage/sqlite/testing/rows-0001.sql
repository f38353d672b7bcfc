-- A database of schema 1: at least a row in every table, as that version wrote them.

UPDATE meta SET value = 6 WHERE key = 'generation';

INSERT INTO users (id, provider, subject, login, name, avatar_url, may_own, password_hash, created_at) VALUES
  (1, 'local', '5b6e3c0c-8d6f-4f53-9df2-0a9b9a1f6f01', 'ada', 'Ada Lovelace', NULL, 1, '$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g', 1793525400000),
  (2, 'github', '1016', 'Grace', NULL, 'https://avatars.example.org/1016', 0, NULL, 1793525400001);

INSERT INTO sessions (id, user_id, token_hash, created_at, last_used_at, expires_at, idle_limit, client_name, address) VALUES
  (1, 1, '3f3af1ecebbd1410ab417ec0d27bbfcb5d340e177ae159b59fc8626c2dfd9175', 1793525400000, 1793525400000, 1801301400000, 2592000000, 'Firefox on Linux', '203.0.113.9');

INSERT INTO sites (id, name, owner_id, private, created_at, last_deployed_at, last_number, active_deployment_id, total_views) VALUES
  (1, 'notes', 1, 0, 1793525401000, 1793525403000, 3, 2, 0),
  (2, 'diary', 1, 1, 1793525404000, 1793525404000, 1, 4, 0);

INSERT INTO retired_names (name, owner_id, free_at) VALUES
  ('old-blog', 1, 1796117400000);

INSERT INTO deployments (id, site_id, number, created_at, activated_at, replaced_at, source, actor, file_count, size_bytes, warnings) VALUES
  (1, 1, 1, 1793525401000, 1793525401000, 1793525402000, 'session', 'ada', 2, 2060, '[]'),
  (2, 1, 2, 1793525402000, 1793525405000, NULL, 'session', 'ada', 2, 2061, '[{"file":"_redirects","line":3,"message":"a status that no rule may have: 999"}]'),
  (3, 1, 3, 1793525403000, 1793525403000, 1793525405000, 'session', 'ada', 2, 2062, '[]'),
  (4, 2, 1, 1793525404000, 1793525404000, NULL, 'session', 'ada', 2, 2063, '[]');

INSERT INTO pins (deployment_id) VALUES
  (1);

INSERT INTO retention_policies (site_id, keep_last, keep_days) VALUES
  (1, 20, NULL);

INSERT INTO manifests (deployment_id, body) VALUES
  (1, X'28b52ffd20df3d0500f2cd281c80376d0ceb6fbbf821de4556121b3002bb97d6446465e39772242e0b0787515c4b9cb11bae1c46712dd19e20cc932bc791d49c7299f9e92be526ea32a9286d5ae5274db2b3c49ad8b2c165babd58588a14a97333ef8390af5c132064a3e2f30a804070404b786b7c46390e9673849b69f3ac4cff4831d58ffd99c60debea22b38c3eae4693be0b896af133f556a83bd1953b0c240c84026704c8194671cd0fc89f4100'),
  (2, X'28b52ffd20df4d0500b20d281c80376d0c57db76f143bcafc826366004fa7737564444e217998c0c16074661b886bcf71fae18c97ae4f047ae180662d472bbcbf6155ab3c90a970f32c8a4d7c5ed77d48cdc34a67136cb6480e2c387bf97ffd2937de59a406157a656c68444a2015af2adf515c5d82cc71a5d110f6326a6afcdac1799e551ad8888bbabd3f3af65b9d07b295f65e6707a4a8aaf1c622039140ade098e2b0ac3b5471cec0c020100cc6460a4'),
  (3, X'28b52ffd20df550500b24d281c7037753d116aeffa857aa3e4b286fe3f0edca64c7649e11cffff300207ac28e03bdef90d4858a2fd61f81f4818535a0ec1cc74f9ad72d36897d4a456edfa9325f95db12a5f2e665db7ad41ad49933e37ff76926124f80408d9cce2e3140081e08097f8f7180bc2d41044a9ace67ae5e9c5dead16b16a6f4a8ad495675bf62f8d0a77bba48c73893279374fb76390e06120612014bc13185814057c7f301c1a040100cc6460a4'),
  (4, X'28b52ffd20df550500b24d281c80376d0ceb6fbbf821de5776131b3002fd5b68537253f09b7006180b078751b896fcf2375c3912ea13647d72e5387ad1945355a69f5a597313eaa2e6e6e28da2faaff6edc58ec96b59719eb468d1beabf5caa0f42bd70408aab270c3160081f08096f8d6fc8c7270964345a1fe2c53ae4ac5859a838ac8be1163c6d87f7cd5319d905a0935b3915928f9b43907f3ca1d06120642c12f02e40ca370ed0f083b830100cc6460a4');

INSERT INTO contents (id, digest, size, published_at) VALUES
  (1, '73cc79ce4dfab9136cf801cb1f40b075454a0e033fc1fc9d97ff83b23583517e', 12, 1793525401000),
  (2, 'a172cedcae47474b615c54d510a5d84a8dea3032e958587430b413538be3f333', 2048, 1793525404000),
  (3, '4b99d1475f23dbcad0c1f3ce4e9ac3300002ab71f403af4a2e2f91047002d0af', 13, 1793525402000),
  (4, '12cb2355a3363ff187fbba06b0eda5c3d8d464775b44a658bbda9b239bfc9076', 14, 1793525403000),
  (5, '1066286517d2781130bdc7b826c4a6e805f5f78ef003062395c1c41b1fea3997', 15, 1793525404000);

INSERT INTO deployment_contents (deployment_id, content_id) VALUES
  (1, 1),
  (1, 2),
  (2, 2),
  (3, 2),
  (4, 2),
  (2, 3),
  (3, 4),
  (4, 5);

INSERT INTO encodings (content_id, zstd, br, gzip) VALUES
  (2, 900, NULL, 1100);

INSERT INTO view_days (site_id, day, views, bot_views, bytes, visitors) VALUES
  (1, 20758, 12, 3, 40960, X'000102030405');

INSERT INTO view_names (site_id, day, kind, name, count) VALUES
  (1, 20758, 'page', '/', 12),
  (1, 20758, 'referrer', 'example.org', 4);

INSERT INTO view_salts (day, salt) VALUES
  (20758, 'c2FsdCBvZiBhIGRheQ');

INSERT INTO deployment_tokens (id, site_id, name, token_hash, created_at, expires_at, last_used_at) VALUES
  ('0b0d5f0e-3f0c-4a62-9a42-2f8a1e1c7b11', 1, 'CI', '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', 1793525403000, NULL, 1793525404000);

INSERT INTO certificates (subject, identifiers, challenge, origin, attempts, pending, current, issued_at, renewal, revision) VALUES
  ('www.example.org', '["www.example.org"]', 'http-01', 'claim', '{"failures":0,"refusals":0,"failedValidations":[],"lastAt":null,"wait":0,"blockedUntil":{},"unprobedAt":null,"error":null}', NULL, '{"chain":"chain in PEM","key":"key in PEM","names":["www.example.org"],"notBefore":1793525400000,"notAfter":1801301400000,"serial":"04a1"}', 1793525400000, NULL, 1);

INSERT INTO own_certificates (name, chain, key) VALUES
  ('fallback', 'chain in PEM', 'key in PEM');

INSERT INTO acme_accounts (directory, key, url) VALUES
  ('https://ca.example.org/directory', 'key in PEM', 'https://ca.example.org/account/1');

INSERT INTO acme_orders (directory, placed_at) VALUES
  ('https://ca.example.org/directory', 1793525400000);

INSERT INTO acme_challenges (type, name, value, expires_at) VALUES
  ('http-01', 'token', 'token.thumbprint', 1793529000000);

INSERT INTO readers (id, site_id, user_id, created_at) VALUES
  (1, 2, 2, 1793525406000);

INSERT INTO device_codes (id, device_code_hash, user_code_hash, client_name, address, created_at, expires_at, poll_interval, last_polled_at, verdict, user_id) VALUES
  (1, '263a4dbe41488fb87214b0032339dbb9f0c8da14c16dfcf13084bf3c2552eca5', '9720d8f8ad0d7dc456ea6cb849fb636c12fdf024fdfc8b97ff53dbe1c8b18efb', 'vitrine', '203.0.113.9', 1793525400000, 1793526300000, 5000, 1793525405000, 'pending', NULL);

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

INSERT INTO claims (id, revision, hostname, site_id, owner_id, status, proof_token, probe_token, probe_answer, created_at, expires_at, verified_at, withdrawn_at, removal_requested_at, route_status, route_generation, route_error, mode, effective_mode, target_mode, observed_mode, transition_started_at, transition_deadline_at, transition_error, cancelled_mode, challenge_seen_at, activated_at, activation_checked_at, activation_error, last_checked_at, last_error, diagnostics, astray_since, gone_since, proof_misses, ladder, attempts, next_check_at, check_holder, check_until, checked_at, check_silent) VALUES
  (1, 7, 'www.example.org', 1, 1, 'verified', 'proof', 'probe', 'answer', 1793525400000, 1794130200000, 1793525460000, NULL, NULL, 'routed', 2, NULL, 'direct', 'direct', NULL, 'direct', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1793611800000, NULL, NULL, NULL, NULL, 0, 'resting', 0, 1793698200000, NULL, NULL, 1793611800000, 0);

INSERT INTO leases (name, holder, ends_at) VALUES
  ('scheduler', 'c0ffee', 1793525415000);

INSERT INTO job_failures (name, failures, not_before) VALUES
  ('sweep', 2, 1793525520000);

INSERT INTO audit (id, at, kind, actor, address, action, site, subject, hash) VALUES
  (1, 1793525401000, 'session', 'ada', '203.0.113.9', 'POST /deploy', 'notes', '', 'c78eca672d0bd0bb169baa03bee46226d4c24c8ceaccafb94051bbc657536a33'),
  (2, 1793525404000, 'deployment_token', 'CI', '2001:db8::7', 'POST /deploy', 'notes', '', '04610d82cfc93f0cb67726ae75827b2bf0a9607afce91a3744d472671ad51e30'),
  (3, 1793525405000, 'session', 'ada', '203.0.113.9', 'POST /sites/:name/deployments/:deployment_number/activate', 'notes', 'deployment_number=2', '1ee467a26581681c4b835fc61e33a6a49e2e3308950a79f99283643fa36ea249'),
  (4, 1793525407000, 'operator', 'root', '', 'users add', NULL, 'Grace', '0bd0bd652262481c10899971594bcbdf4a00ed99ec58e3922c24e30b2f6ddbdc');
