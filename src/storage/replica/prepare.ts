import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { knownSchema as knownPostgresSchema } from "../postgres/migrate.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { knownSchema, migrate } from "../sqlite/migrate.ts";

/** Grows when replicas that were filled by an earlier version lack something. */
const FORMAT = 1;

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
    db.run(STATE);
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

/** The place in the log up to which the replica has all changes; null until it is filled. */
const STATE = `
  CREATE TABLE replica (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema TEXT NOT NULL,
    cluster TEXT,
    seq INTEGER,
    token TEXT,
    -- When the replica was last known to have all changes, by the node's clock.
    contact_at INTEGER
  ) STRICT`;

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
