-- What schema 10 adds: a deployment that says where it comes from.

UPDATE deployments SET message = 'Fix the typo', source_commit = '9fceb02d0ae598e95dc970b74767f19372d61af8',
  source_ref = 'refs/heads/main' WHERE id = 3;
