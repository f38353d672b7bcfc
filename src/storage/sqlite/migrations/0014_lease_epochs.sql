-- How many times a lease was taken: what was done under an earlier one is told from what is done under this.
ALTER TABLE leases ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
