import { Database } from "bun:sqlite";
import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { MINUTE } from "../../domain/timestamp.ts";
import { copyDatabase } from "./copy-database.ts";
import { isBusy, sqliteFailure } from "./failures.ts";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import { retryWhileBusy } from "./retry-while-busy.ts";

/** Statements, or a function for what SQL cannot express. */
export type Migration = string | ((db: Database) => void);

/** Append only: a released migration never changes. `PRAGMA user_version` is the number of applied migrations. */
export const MIGRATIONS: readonly Migration[] = [initial];

/** The database was created by a newer Vitrine. It was not changed. */
export class NewerDatabase extends Error {}

/** SQLite below this version can corrupt a WAL database (fixed in 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/**
 * Milliseconds to wait for another process that migrates or writes. Setting a copy aside takes minutes for a large
 * database on a slow disk.
 */
const MIGRATION_WAIT_MS = 5 * MINUTE;

/**
 * Migrates the database file to the schema of this executable, in one transaction, after it has set aside a copy of a
 * non-empty database as `<file>.before-<version>`. Returns the number of migrations applied. Of several processes at
 * once one migrates, and the others wait. Throws NewerDatabase without changes if a newer Vitrine made the file.
 */
export async function migrate(
  file: string,
  migrations: readonly Migration[] = MIGRATIONS,
  keepOld: KeepOld = setAside,
): Promise<number> {
  const fresh = !existsSync(file);
  using db = new Database(file, { create: true, strict: true });
  try {
    if (fresh) chmodSync(file, 0o600);
    return await retryWhileBusy(MIGRATION_WAIT_MS, () => {
      refuseOldSqlite(db);
      return isNewest(db, file, migrations) ? 0 : migrateAlone(db, file, migrations, keepOld);
    });
  } catch (error) {
    throw isBusy(error) ? sqliteFailure(error) : error;
  }
}

/** Like `migrate`, for a copy, without setting anything aside. */
export function migrateCopy(file: string): Promise<number> {
  return migrate(file, MIGRATIONS, () => {});
}

/** Creates the newest schema in an empty database, in the caller's transaction if there is one. */
export function createSchema(db: Database): void {
  for (const migration of MIGRATIONS) apply(db, migration);
  db.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

/** Returns whether `migrate` would change the database; false if it is missing or unreadable. */
export function isOutdated(file: string): boolean {
  try {
    using db = new Database(file, { readwrite: true, strict: true });
    // The database may be busy while its log is recovered.
    db.run("PRAGMA busy_timeout = 10000");
    return userVersion(db) < MIGRATIONS.length;
  } catch {
    return false;
  }
}

/** Returns the newest schema that this executable knows. */
export function knownSchema(): number {
  return MIGRATIONS.length;
}

export function userVersion(db: Database): number {
  return (db.query("PRAGMA user_version").get() as { user_version: number }).user_version;
}

function isNewest(db: Database, file: string, migrations: readonly Migration[]): boolean {
  const applied = userVersion(db);
  if (applied <= migrations.length) return applied === migrations.length;
  throw new NewerDatabase(
    `${file} was made by a newer Vitrine (schema ${applied}, this one knows ${migrations.length}): run that version, or restore a backup`,
  );
}

/** Preserves the database before any change. */
type KeepOld = (file: string, version: number) => void;

/** Holds the write lock from before the copy is made, so that nobody else makes a copy or changes the database. */
function migrateAlone(db: Database, file: string, migrations: readonly Migration[], keepOld: KeepOld): number {
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  const change = db.transaction(() => {
    // Another process may have migrated it.
    if (isNewest(db, file, migrations)) return 0;
    const applied = userVersion(db);
    if (applied > 0) keepOld(file, applied);
    for (const migration of migrations.slice(applied)) apply(db, migration);
    db.run(`PRAGMA user_version = ${migrations.length}`);
    return migrations.length - applied;
  });
  return change.immediate();
}

/** Runs in the transaction of all migrations. */
export function apply(db: Database, migration: Migration): void {
  if (typeof migration === "string") db.run(migration);
  else migration(db);
}

/**
 * Creates a complete copy or none: it is written under another name, then renamed. Needs a connection without a
 * transaction.
 */
function setAside(file: string, version: number): void {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  try {
    copyDatabase(file, partial);
    renameSync(partial, `${file}.before-${version + 1}`);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function refuseOldSqlite(db: Database): void {
  const { version } = db.query("SELECT sqlite_version() AS version").get() as { version: string };
  const parts = version.split(".").map(Number);
  for (const [index, least] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least) throw new Error(`SQLite ${version} is too old to be trusted with a WAL database`);
  }
}
