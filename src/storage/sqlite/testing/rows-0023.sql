-- What schema 23 adds: a minute that was measured.

INSERT INTO metric_steps VALUES ('minute', 1767225600000, '{"counts":{},"latency":[],"gauges":{},"starts":[]}');
