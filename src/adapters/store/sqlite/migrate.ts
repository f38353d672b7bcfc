import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { chmod, rename, rm } from "node:fs/promises";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import auditRetention from "./migrations/0002_audit_retention.sql" with { type: "text" };
import limits from "./migrations/0003_limits.sql" with { type: "text" };
import webhooks from "./migrations/0004_webhooks.sql" with { type: "text" };
import webhookQueue from "./migrations/0005_webhook_queue.sql" with { type: "text" };
import releasedAttempts from "./migrations/0006_released_attempts.sql" with { type: "text" };

/** Append only: a released migration never changes. `PRAGMA user_version` counts those that were applied. */
export const MIGRATIONS: readonly string[] = [
  initial,
  auditRetention,
  limits,
  webhooks,
  webhookQueue,
  releasedAttempts,
];

/** The database is of a newer Vitrine. Nothing was touched. */
export class NewerDatabase extends Error {}

/** SQLite below this version can corrupt a WAL database (fixed in 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/**
 * Brings the database file to the schema of this executable, all migrations in one transaction, after a copy of a
 * database with content was set aside as `<file>.before-<version>`. Returns the number of migrations applied.
 * Throws NewerDatabase, with nothing changed, when the file was made by a newer Vitrine.
 */
export async function migrate(file: string, migrations: readonly string[] = MIGRATIONS): Promise<number> {
  const fresh = !existsSync(file);
  const db = new Database(file, { create: true, strict: true });
  try {
    if (fresh) await chmod(file, 0o600);
    refuseOldSqlite(db);
    const applied = userVersion(db);
    if (applied > migrations.length) {
      throw new NewerDatabase(
        `${file} was made by a newer Vitrine (schema ${applied}, this one knows ${migrations.length}): run that version, or restore a backup`,
      );
    }
    if (applied === migrations.length) return 0;
    if (applied > 0) await setAside(db, file, applied);
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = FULL");
    db.transaction(() => {
      for (const sql of migrations.slice(applied)) db.run(sql);
      db.run(`PRAGMA user_version = ${migrations.length}`);
    }).immediate();
    return migrations.length - applied;
  } finally {
    db.close();
  }
}

/** Whether `migrate` would change the database; false also where there is none that can be read. */
export function isOutdated(file: string): boolean {
  try {
    const db = new Database(file, { readwrite: true, strict: true });
    try {
      return userVersion(db) < MIGRATIONS.length;
    } finally {
      db.close();
    }
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

/** A copy that is whole or not there: written beside, then renamed. */
async function setAside(db: Database, file: string, version: number): Promise<void> {
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  db.query("VACUUM INTO ?").run(partial);
  await chmod(partial, 0o600);
  await rename(partial, `${file}.before-${version + 1}`);
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
