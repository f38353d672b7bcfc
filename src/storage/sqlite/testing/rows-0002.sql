-- What schema 2 adds: entries that know whose account it was.

INSERT INTO audit (id, at, kind, actor, address, action, site, subject, hash, user_id) VALUES
  (5, 1793525408000, 'session', 'ada', '203.0.113.9', 'PUT /sites/:name/access', 'diary', '', '6a860ad88af480d351cb7a6811ba46e412a4b9d0812a12f45581dd8b38f0c73a', 1);
