-- What schema 13 adds: a token that makes previews alone.

UPDATE deployment_tokens SET permission = 'preview' WHERE id = (SELECT max(id) FROM deployment_tokens);
