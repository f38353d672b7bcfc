-- The account that made a change: logins change hands, ids do not. Null where no person signed in, and in older entries.
ALTER TABLE audit ADD COLUMN user_id INTEGER;
CREATE INDEX audit_by_user ON audit (user_id, id);

-- One row: the last entry that was dropped for its age. The oldest one that is left is bound to its hash.
CREATE TABLE audit_anchor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_id INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO audit_anchor (id, last_id, hash) VALUES (1, 0, '');

DROP TRIGGER audit_is_not_removed;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
WHEN OLD.id > (SELECT last_id FROM audit_anchor)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- The anchor goes forward alone, and to an entry that is there.
CREATE TRIGGER audit_anchor_is_an_entry BEFORE UPDATE ON audit_anchor
WHEN NEW.last_id <= OLD.last_id OR NEW.hash IS NOT (SELECT hash FROM audit WHERE id = NEW.last_id)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
