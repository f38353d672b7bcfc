-- What schema 14 adds: a lease that was taken again.

UPDATE leases SET epoch = 2;
