-- What schema 25 adds: a change of one site.

INSERT INTO routing_changes (slot, generation, sites) VALUES (7, 7, '[1]');
