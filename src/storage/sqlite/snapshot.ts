import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import type { Snapshot } from "../../domain/ports/backup.ts";
import { hashFile } from "../disk/read-file.ts";
import { copyDatabase } from "./copy-database.ts";
import { databaseFiles } from "./fold-log.ts";
import { userVersion } from "./migrate.ts";

/**
 * Copies a database, which others may be writing to, into a new file as a snapshot. The copy is a single file without
 * logs, readable for its owner only. Encodings and facts, which can be created again, and condemned content are omitted.
 */
export function takeSnapshot(database: string, file: string): Snapshot {
  for (const part of databaseFiles(file)) rmSync(part, { force: true });
  copyDatabase(database, file);
  return trimCopy(file);
}

/** Makes a copy of a database say that its content is beside it. */
export function forgetObjects(file: string): void {
  using db = new Database(file, { strict: true });
  for (const table of tablesAmong(db, OBJECT_TABLES)) db.run(`DELETE FROM ${table}`);
}

/**
 * The tables that record which objects of which bucket contain which content, in an order in which rows can be deleted.
 */
export const OBJECT_TABLES: readonly string[] = ["content_locations", "content_objects", "content_bucket"];

/**
 * Tables of which a snapshot has no rows. Encodings and facts can be created again. Backups and incidents describe the destination,
 * and a backup cannot know how it ended itself. Its content is beside it.
 */
export const OMITTED_TABLES: readonly string[] = [
  "encodings",
  "encoding_claims",
  "content_facts",
  "backups",
  "incidents",
  ...OBJECT_TABLES,
];

/** Converts a copy to the state in which a store opens it, so that reading it changes nothing. Returns its SHA-256. */
export async function sealCopy(file: string): Promise<string> {
  useWriteAheadLog(file);
  return (await hashFile(file))?.digest ?? "";
}

/**
 * Removes from a copy of a database what a snapshot omits. A database of an earlier version that was not served since has
 * no condemned content.
 */
export function trimCopy(file: string): Snapshot {
  using db = new Database(file, { strict: true });
  db.run("PRAGMA journal_mode = DELETE");
  for (const table of tablesAmong(db, OMITTED_TABLES)) db.run(`DELETE FROM ${table}`);
  db.run("DELETE FROM contents WHERE condemned_at IS NOT NULL");
  const count = (table: string) =>
    (db.query(`SELECT count(*) AS total FROM ${table}`).get() as { total: number }).total;
  const [sites, deployments, total] = [count("sites"), count("deployments"), count("contents")];
  return { file, sites, deployments, total, contents: () => contentsOf(file) };
}

/** Nothing has the file open afterwards, so that it can be hashed. */
function useWriteAheadLog(file: string): void {
  using db = new Database(file, { readwrite: true, strict: true });
  db.run("PRAGMA journal_mode = WAL");
}

/** Databases of earlier versions have fewer tables. */
function tablesAmong(db: Database, names: readonly string[]): readonly string[] {
  const isAvailable = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return names.filter((name) => isAvailable.get(name) !== null);
}

/** Yields the contents that a database refers to. */
export function* contentsOf(file: string): Iterable<{ digest: string; size: number }> {
  using db = new Database(file, { readonly: true, strict: true });
  yield* db.query<{ digest: string; size: number }, []>("SELECT digest, size FROM contents ORDER BY id").iterate();
}

/** Returns the digests of all encodings in a database. */
export function encodingsOf(file: string): readonly { readonly digest: string }[] {
  using db = new Database(file, { readonly: true, strict: true });
  return db.query<{ digest: string }, []>("SELECT digest FROM encodings").all();
}

/** Returns the contents that a database copy refers to, and its schema number. Throws if it is invalid or damaged. */
export function inspectCopy(file: string): { schema: number; contents: { digest: string; size: number }[] } {
  using db = new Database(file, { readonly: true, strict: true });
  const [finding] = db.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
  if (finding?.integrity_check !== "ok") throw new Error(finding?.integrity_check ?? "it cannot be checked");
  return { schema: userVersion(db), contents: [...contentsOf(file)] };
}
