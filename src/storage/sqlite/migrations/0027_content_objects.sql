-- Content in S3: the objects that were sent, or are to be, and which content lies in them.
CREATE TABLE content_objects (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- Null until the object is stored.
  size INTEGER,
  intended_at INTEGER NOT NULL,
  condemned_at INTEGER
) STRICT;

CREATE INDEX content_objects_condemned ON content_objects (condemned_at) WHERE condemned_at IS NOT NULL;

CREATE TABLE content_locations (
  digest TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  object_id INTEGER NOT NULL REFERENCES content_objects (id),
  offset INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  -- Who placed it and may undo it; null once somebody else relies on it.
  writer TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX content_locations_by_object ON content_locations (object_id);
CREATE INDEX content_locations_by_writer ON content_locations (writer) WHERE writer IS NOT NULL;

-- One row, once content lay in a bucket. The address is null while it lies in the data folder.
CREATE TABLE content_bucket (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  owner TEXT NOT NULL,
  address TEXT
) STRICT;
