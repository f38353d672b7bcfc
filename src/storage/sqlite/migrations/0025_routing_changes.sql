-- The latest changes of routing: a ring, in which the change of a generation lies in the slot of its remainder.
CREATE TABLE routing_changes (
  slot INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL,
  -- The ids of the affected sites as JSON; null where it may be any of them.
  sites TEXT
) STRICT;
