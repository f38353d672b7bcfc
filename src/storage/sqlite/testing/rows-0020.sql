-- What schema 20 adds: the latest run of a job.

INSERT INTO job_runs VALUES ('sweep', 1767225600000, 1240, NULL, 1767229200000);
