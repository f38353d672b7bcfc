import type { SQL, TransactionSQL } from "bun";
import type { DatabaseUrl } from "./database-url.ts";
import { postgresFailure } from "./failures.ts";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import { closePool, openPool } from "./pool.ts";

interface Migration {
  readonly statements: string;
  /** The oldest schema whose executables can still use the tables afterwards. */
  readonly oldestKnown: number;
}

/**
 * Append only: a released migration never changes. Nodes of the previous version continue during and after a migration.
 * It adds what the next version needs, and what only the previous one needs is dropped a version later.
 */
export const MIGRATIONS: readonly Migration[] = [{ statements: initial, oldestKnown: 1 }];

/**
 * The database belongs to a newer Vitrine, the PostgreSQL is too old, or the encoding is not UTF-8. It was not changed.
 */
export class UnusableDatabase extends Error {}

const OLDEST_POSTGRES = 140_000;

/** An arbitrary number for the lock of migrations. */
const MIGRATION_LOCK = 7_316_049_251;

/**
 * Migrates the database to the schema of this executable, in one transaction. Returns the number of migrations applied.
 * Of several nodes at once one migrates, and the others wait.
 */
export async function migrate(url: DatabaseUrl, migrations: readonly Migration[] = MIGRATIONS): Promise<number> {
  const { sql } = await openPool(url, { max: 1 });
  try {
    await requireUsable(sql);
    return await sql.begin(async (tx) => {
      await tx.unsafe(
        `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '5min'; SET LOCAL synchronous_commit = on`,
      );
      await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      // A migration must not wait long for a lock, because everyone after it would wait as well.
      await tx.unsafe("SET LOCAL lock_timeout = '5s'");
      return migrateAlone(tx, migrations);
    });
  } catch (error) {
    throw postgresFailure(error);
  } finally {
    closePool(sql, 0);
  }
}

/** Returns the newest schema that this executable knows. */
export function knownSchema(): number {
  return MIGRATIONS.length;
}

// --- internal ---

async function requireUsable(sql: SQL): Promise<void> {
  const [row] = await sql`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      current_setting('server_encoding') AS encoding`;
  if (row.number < OLDEST_POSTGRES) {
    throw new UnusableDatabase(`PostgreSQL ${row.version} is too old: version 14 or newer is needed`);
  }
  if (row.encoding !== "UTF8") {
    throw new UnusableDatabase(`The database's encoding is ${row.encoding}: make one with ENCODING 'UTF8'`);
  }
}

async function migrateAlone(tx: TransactionSQL, migrations: readonly Migration[]): Promise<number> {
  const { schema, oldestKnown } = await appliedSchema(tx);
  if (oldestKnown > migrations.length) {
    throw new UnusableDatabase(
      `The database was changed by a newer Vitrine (schema ${schema}, this one knows ${migrations.length}): run that version`,
    );
  }
  const missing = migrations.slice(schema);
  const last = missing.at(-1);
  if (!last) return 0;
  for (const { statements } of missing) await tx.unsafe(statements);
  await tx`
    INSERT INTO meta (key, value) VALUES ('schema', ${migrations.length}), ('oldest_known_schema', ${last.oldestKnown})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
  return missing.length;
}

/** A database without tables has the schema 0. */
async function appliedSchema(tx: TransactionSQL): Promise<{ readonly schema: number; readonly oldestKnown: number }> {
  const [table] = await tx`SELECT to_regclass('meta') AS name`;
  if (table.name === null) return { schema: 0, oldestKnown: 0 };
  const rows: readonly { key: string; value: string }[] = await tx`SELECT key, value FROM meta`;
  const numberOf = (key: string) => Number(rows.find((row) => row.key === key)?.value ?? 0);
  return { schema: numberOf("schema"), oldestKnown: numberOf("oldest_known_schema") };
}
