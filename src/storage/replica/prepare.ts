import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { knownSchema as knownPostgresSchema } from "../postgres/migrate.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { knownSchema, migrate } from "../sqlite/migrate.ts";

/** Grows when replicas that were filled by an earlier version lack something. */
const FORMAT = 2;

/** A replica of another schema is thrown away: its rows were chosen and written by another version. */
const SCHEMA = `${FORMAT}.${knownSchema()}.${knownPostgresSchema()}`;

/**
 * Makes the file of a node's replica ready for `openReplica`. Keeps a replica of an earlier start of the node, and
 * replaces one that is damaged or has another schema by an empty one. Call it before anybody opens the file.
 */
export async function prepareReplica(file: string): Promise<void> {
  if (existsSync(file) && isUsable(file)) return;
  for (const part of databaseFiles(file)) rmSync(part, { force: true });
  await migrate(file);
  const db = new Database(file, { strict: true });
  try {
    db.run(TABLES);
    db.prepare<void, [string]>("INSERT INTO replica (id, schema) VALUES (1, ?)").run(SCHEMA);
  } finally {
    db.close();
  }
}

/** Returns whether a replica that `prepareReplica` has kept or made was filled before. */
export function isFilled(file: string): boolean {
  const db = new Database(file, { readwrite: true, strict: true });
  try {
    return db.query("SELECT 1 FROM replica WHERE cluster IS NOT NULL").get() !== null;
  } finally {
    db.close();
  }
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
  -- Where the contents of the replica and their encodings are in content_objects. Without their digests, which
  -- content_locations would repeat, a row takes a tenth of the space.
  CREATE TABLE content_places (
    content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    -- Empty for the content itself.
    coding TEXT NOT NULL,
    object_id INTEGER NOT NULL REFERENCES content_objects (id),
    offset INTEGER NOT NULL,
    PRIMARY KEY (content_id, coding)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_places_by_object ON content_places (object_id)`;

function isUsable(file: string): boolean {
  try {
    const db = new Database(file, { readwrite: true, strict: true });
    try {
      const row = db.query<{ schema: string }, []>("SELECT schema FROM replica").get();
      const [finding] = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
      return row?.schema === SCHEMA && finding?.quick_check === "ok";
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}
