-- What schema 6 adds: a name that was released after a validation had failed.

INSERT INTO released_attempts (subject, attempts, until)
  VALUES ('gone.example.org', '{"failures":0,"refusals":0,"failedValidations":[1793525409000],"lastAt":null,"wait":0,"blockedUntil":{},"unprobedAt":null,"error":null}', 1793529009000);
