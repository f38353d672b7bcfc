-- What schema 9 adds: a webhook whose receiver answers slowly.

UPDATE webhooks SET owner_id = 1, slow_answers = 2, rests_until = 1793525425000;
