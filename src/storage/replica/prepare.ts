import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { knownSchema as knownPostgresSchema } from "../postgres/migrate.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { knownSchema, migrate } from "../sqlite/migrate.ts";

/** Grows when replicas that were filled by an earlier version lack something or have another form. */
const FORMAT = 3;

/** A replica of another schema is thrown away: its rows were chosen and written by another version. */
const SCHEMA = `${FORMAT}.${knownSchema()}.${knownPostgresSchema()}`;

/**
 * Makes the file of a node's replica ready for `openReplica`. Keeps a replica of an earlier start of the node, and
 * replaces one that is damaged or has another schema by an empty one. Call it before anybody opens the file.
 */
export async function prepareReplica(file: string): Promise<void> {
  if (existsSync(file) && isUsable(file)) return;
  removeReplica(file);
  await migrate(file);
  using db = new Database(file, { strict: true });
  db.run(TABLES);
  db.prepare<void, [string]>("INSERT INTO replica (id, schema) VALUES (1, ?)").run(SCHEMA);
}

export function removeReplica(file: string): void {
  for (const part of databaseFiles(file)) rmSync(part, { force: true });
}

/** Returns whether a replica that `prepareReplica` has kept or made was filled before. */
export function isFilled(file: string): boolean {
  using db = new Database(file, { readwrite: true, strict: true });
  return db.query("SELECT 1 FROM replica WHERE cluster IS NOT NULL").get() !== null;
}

/** Returns a condition that finds representations by a digest, which is a text, with their index. */
export function hasDigest(digest: string): string {
  const bytes = `unhex(${digest})`;
  return `substr(representations.digest, 1, 4) = substr(${bytes}, 1, 4) AND representations.digest = ${bytes}`;
}

// --- internal ---

const TABLES = `
  CREATE TABLE replica (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema TEXT NOT NULL,
    -- The place in the log up to which the replica has all changes; null until it is filled.
    cluster TEXT,
    seq INTEGER,
    token TEXT,
    -- When the replica was last known to have all changes, by the node's clock.
    contact_at INTEGER
  ) STRICT;
  -- Contents and their encodings, and where they are in content_objects. The tables of the embedded store would take
  -- twice the space. Visits read this one through views that have their names.
  CREATE TABLE representations (
    content_id INTEGER NOT NULL,
    -- Empty for the content itself.
    coding TEXT NOT NULL,
    digest BLOB NOT NULL,
    size INTEGER NOT NULL,
    legacy_text INTEGER NOT NULL,
    -- 1 for a content of which nothing is left to encode.
    encoded INTEGER NOT NULL,
    -- Null if the place is unknown.
    object_id INTEGER,
    offset INTEGER,
    PRIMARY KEY (content_id, coding)
  ) STRICT, WITHOUT ROWID;
  -- A whole digest would take 28 more bytes, and hardly any two begin alike.
  CREATE INDEX representations_by_digest ON representations (substr(digest, 1, 4));
  CREATE INDEX representations_by_object ON representations (object_id);
  DROP TABLE encoding_claims;
  CREATE VIEW encoding_claims AS
    SELECT content_id, 1 AS epoch, NULL AS ends_at FROM representations WHERE coding = '' AND encoded;
  DROP TABLE encodings;
  CREATE VIEW encodings AS
    SELECT content_id, coding, lower(hex(digest)) AS digest, size FROM representations WHERE coding <> '';
  DROP TABLE contents;
  CREATE VIEW contents AS
    SELECT content_id AS id, lower(hex(digest)) AS digest, size, legacy_text FROM representations WHERE coding = ''`;

function isUsable(file: string): boolean {
  try {
    using db = new Database(file, { readwrite: true, strict: true });
    const row = db.query<{ schema: string }, []>("SELECT schema FROM replica").get();
    const [finding] = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    return row?.schema === SCHEMA && finding?.quick_check === "ok";
  } catch {
    return false;
  }
}
