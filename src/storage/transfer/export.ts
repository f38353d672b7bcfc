import { Database } from "bun:sqlite";
import { rmSync, writeFileSync } from "node:fs";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { createSchema } from "../sqlite/migrate.ts";
import { copyRows, findDifference, type RowSource } from "./copy.ts";
import { postgresSource } from "./postgres-rows.ts";
import type { Run } from "./postgres-transaction.ts";
import { sqliteSource, sqliteTarget } from "./sqlite-rows.ts";
import { type Table, tablesOf } from "./tables.ts";

/** The copy of a database has other rows than the database. */
class DifferentCopy extends Error {}

interface Steps {
  /** Called with the number of rows copied since the last call. */
  readonly copied: (rows: number) => void;
  /** The same for rows that were compared; null if the copy is not to be compared. */
  readonly compared: ((rows: number) => void) | null;
}

/**
 * Writes the rows of a PostgreSQL database, as a transaction sees it, into a new SQLite database, which only its owner can
 * read. Copies the rows of `names`, and leaves other tables as they are in a new database. If it fails, an incomplete file remains.
 */
export async function exportToSqlite(
  run: Run,
  file: string,
  names: readonly string[],
  { copied, compared }: Steps,
): Promise<void> {
  for (const part of databaseFiles(file)) rmSync(part, { force: true });
  writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  using db = new Database(file, { readwrite: true, strict: true });
  // The file is of use only when it is complete.
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA foreign_keys = OFF");
  db.run("BEGIN IMMEDIATE");
  createSchema(db);
  const tables = tablesOf(db, names);
  const source = postgresSource(run);
  await copyRows(tables, source, sqliteTarget(db), copied);
  db.run("COMMIT");
  if (compared) await requireEqual(tables, source, sqliteSource(db), compared);
}

/** Throws DifferentCopy unless both have the same rows. */
export async function requireEqual(
  tables: readonly Table[],
  one: RowSource,
  other: RowSource,
  compared: (rows: number) => void,
): Promise<void> {
  const difference = await findDifference(tables, one, other, compared);
  if (difference !== null) throw new DifferentCopy(`the copy is not the same: ${difference}`);
}
