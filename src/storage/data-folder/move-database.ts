import { Database } from "bun:sqlite";
import { renameSync, rmSync, statSync } from "node:fs";
import { type DatabaseUrl, formatDatabaseUrl } from "../../domain/database-url.ts";
import { syncPath } from "../disk/sync.ts";
import { type DataFolder, requireDatabase, UnusableDataFolder } from "../folder/data-folder.ts";
import { markMoved } from "../postgres/migrate.ts";
import { databaseFiles, LOGS } from "../sqlite/fold-log.ts";
import { integrityProblems } from "../sqlite/integrity.ts";
import { OBJECT_TABLES } from "../sqlite/snapshot.ts";
import { exportToSqlite } from "../transfer/export.ts";
import { importFromSqlite, inspectTarget, type TargetState } from "../transfer/import.ts";
import { countRows as countInPostgres } from "../transfer/postgres-rows.ts";
import { countRows as countInSqlite, findNulCharacters } from "../transfer/sqlite-rows.ts";
import { keyOf, TABLES, type Table, tablesOf } from "../transfer/tables.ts";
import type { MoveOrder, MoveProgress, MoveStep } from "./move-content.ts";
import { migrateStopped, type StoppedStorage, withLockedFolder } from "./stopped-server.ts";

export interface DatabaseMove {
  /** The number of rows in all tables. */
  readonly rows: number;
  /** How many of them were copied, or would be in a dry run: none if an earlier move copied all. */
  readonly copied: number;
  /** The location now, or after the move in a dry run, and the previous one. PostgreSQL's has no password. */
  readonly to: string;
  readonly from: string;
}

/**
 * Copies the metadata to an empty PostgreSQL database, in one transaction that also compares every row, and then sets the
 * folder's own database aside. An interrupted move leaves nothing in PostgreSQL; after one whose end is unknown, the next
 * one finds all rows there. Throws UnusableDataFolder, with nothing changed.
 */
export function moveToDatabase(dataDir: string, url: DatabaseUrl, order: MoveOrder): Promise<DatabaseMove> {
  return withLockedFolder(dataDir, async (folder) => {
    requireDatabase(folder);
    await migrateStopped(folder, order.dryRun);
    const { rows, state } = await copyToPostgres(folder, url, order);
    return { rows, copied: state === "same" ? 0 : rows, from: folder.database, to: formatDatabaseUrl(url) };
  });
}

/**
 * Exports the metadata to a data folder without a database, compares every row, and marks PostgreSQL's as moved. Without
 * `withObjects`, the copy says that its content is beside it.
 */
export async function moveFromDatabase(
  { url, run }: NonNullable<StoppedStorage["database"]>,
  there: DataFolder,
  { dryRun, progress }: MoveOrder,
  withObjects: boolean,
): Promise<DatabaseMove> {
  const names = withObjects ? TABLES : TABLES.filter((name) => !OBJECT_TABLES.includes(name));
  const rows = await countInPostgres(run, names);
  if (!dryRun) {
    const partial = `${there.database}.partial`;
    await exportToSqlite(run, partial, names, rowProgress(progress, rows));
    syncPath(partial);
    // Before there is a second database that a server could use.
    await markMoved(url, Date.now());
    renameSync(partial, there.database);
    for (const file of databaseFiles(there.replica)) rmSync(file, { force: true });
    syncPath(there.root);
  }
  return { rows, copied: rows, from: formatDatabaseUrl(url), to: there.database };
}

// --- internal ---

const MAX_NAMED = 5;

async function copyToPostgres(
  folder: DataFolder,
  url: DatabaseUrl,
  { dryRun, progress }: MoveOrder,
): Promise<{ readonly rows: number; readonly state: TargetState }> {
  const { database, root } = folder;
  const db = new Database(database, { strict: true });
  try {
    if (!dryRun) lockAlone(db, folder);
    const [damage] = await integrityProblems(db);
    if (damage !== undefined)
      throw new UnusableDataFolder(`${database} is damaged: ${damage}`, `vitrine verify --data-dir ${root}`);
    const tables = tablesOf(db);
    refuseNulCharacters(db, tables, database);
    const rows = countInSqlite(db);
    const state = await (dryRun
      ? inspectTarget(db, tables, url)
      : importFromSqlite(db, tables, url, rowProgress(progress, rows)));
    if (state === "other") {
      throw new UnusableDataFolder(`${formatDatabaseUrl(url)} has other tables or rows`, "name a new, empty database");
    }
    if (!dryRun) setDatabaseAside(folder);
    return { rows, state };
  } finally {
    // A statement that was not read to its end keeps the connection open, and with it the lock.
    if (db.inTransaction) db.run("ROLLBACK");
    db.close();
  }
}

function refuseNulCharacters(db: Database, tables: readonly Table[], database: string): void {
  const found = [...findNulCharacters(db, tables).take(MAX_NAMED)];
  if (found.length === 0) return;
  const rows = found.map(({ table, row, column }) => `${column} of ${table.name} with ${keyOf(table, row)}`);
  throw new UnusableDataFolder(
    `PostgreSQL stores no NUL characters, and there are some in ${database}: ${rows.join("; ")}`,
    "remove them with sqlite3, or delete what the rows describe",
  );
}

/**
 * Locks a database, which is a single file then, until it is closed. Commands wait to change it, and notice afterwards
 * that it was moved.
 */
function lockAlone(db: Database, { database, root }: DataFolder): void {
  db.run("PRAGMA busy_timeout = 5000");
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.run("BEGIN IMMEDIATE");
  // A command changed the database in between, or still reads it.
  const log = statSync(`${database}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) throw new UnusableDataFolder(`another command uses ${root}`, "try again once it has ended");
}

/** The next start needs the settings to name the other database. The caller holds its lock. */
function setDatabaseAside({ database, movedDatabase, root }: DataFolder): void {
  renameSync(database, movedDatabase);
  for (const log of LOGS) rmSync(database + log, { force: true });
  syncPath(root);
}

/** Shows each step once it has begun. */
function rowProgress(
  progress: MoveProgress,
  rows: number,
): { copied(rows: number): void; compared(rows: number): void } {
  const showing = (step: MoveStep) => {
    let hasBegun = false;
    return (done: number) => {
      if (!hasBegun) progress.begin(step, rows, "row");
      hasBegun = true;
      progress.advance(done);
    };
  };
  return { copied: showing("copying"), compared: showing("verifying") };
}
