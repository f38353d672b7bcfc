import type { SQL, TransactionSQL } from "bun";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { HOUR, SECOND } from "../../domain/timestamp.ts";
import { withDeadline } from "./deadline.ts";
import { postgresFailure } from "./failures.ts";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import { closePool, openPool } from "./pool.ts";

interface Migration {
  readonly statements: string;
  /** The oldest schema whose executables can still use the tables afterwards. */
  readonly oldestKnown: number;
}

/**
 * Append only: a released migration never changes. Nodes of the previous version continue during and after a migration,
 * so it only adds: tables, and columns that are nullable or have a default. What only older versions need is dropped two
 * versions later, and `oldestKnown` rises with it. A migration that changes rows which visits need adds a row to
 * `changes` without sites, so that replicas are filled again.
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
export function migrate(
  url: DatabaseUrl,
  migrations: readonly Migration[] = MIGRATIONS,
  deadline = RESPONSE_DEADLINE_MS,
): Promise<number> {
  return migrateExcept(url, migrations, deadline, refuseMoved);
}

/**
 * Like `migrate`, for a move to a data folder: also if the database was moved there before, but not if it is empty. Throws
 * UnusableDatabase.
 */
export function migrateToMove(url: DatabaseUrl): Promise<number> {
  return migrateExcept(url, MIGRATIONS, RESPONSE_DEADLINE_MS, async (_, wasEmpty) => {
    if (wasEmpty) throw emptyDatabase();
  });
}

/** Throws UnusableDatabase if `migrateToMove` would change the database, for a dry run. */
export async function requireMigrated(sql: SQL): Promise<void> {
  if (await isOfThisVersion(sql)) return;
  if (await requireEmpty(sql)) throw emptyDatabase();
  throw new UnusableDatabase(
    "The database has the tables of another version, and a dry run changes nothing: run it again after this version was started",
  );
}

/** Returns the newest schema that this executable knows. */
export function knownSchema(): number {
  return MIGRATIONS.length;
}

/** Marks a database as moved to a data folder at that time. `migrate` refuses it from then on. */
export async function markMoved(url: DatabaseUrl, at: number): Promise<void> {
  const { sql } = await openPool(url, { max: 1 });
  const mark = async () =>
    sql`INSERT INTO meta (key, value) VALUES ('moved_at', ${at}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
  try {
    await withDeadline(mark, RESPONSE_DEADLINE_MS, () => closePool(sql, 0));
  } catch (error) {
    throw postgresFailure(error);
  } finally {
    closePool(sql, 0);
  }
}

/** The database was moved to a data folder, where its rows have changed since. */
export class MovedDatabase extends UnusableDatabase {
  constructor() {
    super(
      "The database was moved to a data folder: start the server there without --database, or move it to a new database",
    );
  }
}

/** Makes a marked database usable again. Replicas that nodes have kept of it are discarded. */
export async function unmarkMoved(tx: TransactionSQL): Promise<void> {
  const unmarked = await tx`DELETE FROM meta WHERE key = 'moved_at' RETURNING key`;
  if (unmarked.length > 0) await tx`UPDATE cluster SET token = gen_random_uuid()`;
}

/**
 * Migrates an empty database in a transaction, which keeps others from migrating it until it ends. Returns false if it
 * has tables already, and changes nothing. Throws UnusableDatabase.
 */
export async function migrateEmpty(tx: TransactionSQL): Promise<boolean> {
  await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  const isEmpty = await requireEmpty(tx);
  if (isEmpty) await migrateAlone(tx, MIGRATIONS);
  return isEmpty;
}

/**
 * Returns whether a database has no tables, so that `migrateEmpty` can use it. Throws UnusableDatabase if it never could.
 */
export async function requireEmpty(sql: SQL): Promise<boolean> {
  await requireUsable(sql);
  const [found] = await sql`
    SELECT current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS allowed, (
      SELECT count(*)::int FROM pg_class WHERE relnamespace = current_schema()::regnamespace) AS tables`;
  if (found.allowed) return found.tables === 0;
  throw new UnusableDatabase("The user in the database's URL may not create tables: make it the owner of the database");
}

/** Returns whether a database has the tables of this executable, as far as its schema number says. */
export async function isOfThisVersion(tx: SQL): Promise<boolean> {
  const [table] = await tx`SELECT to_regclass('log_counters') AS name`;
  return table.name !== null && (await appliedSchema(tx)).schema === MIGRATIONS.length;
}

// --- internal ---

/** Milliseconds for a server to report its version and schema. */
const RESPONSE_DEADLINE_MS = 10 * SECOND;

/** Milliseconds for all migrations together. Nodes of the previous version serve meanwhile. */
const MIGRATION_DEADLINE_MS = HOUR;

async function migrateExcept(
  url: DatabaseUrl,
  migrations: readonly Migration[],
  deadline: number,
  refuse: (tx: TransactionSQL, wasEmpty: boolean) => Promise<void>,
): Promise<number> {
  const { sql } = await openPool(url, { max: 1 });
  const giveUp = () => closePool(sql, 0);
  try {
    // Usually nothing is to be done, and a server that hangs is given up soon.
    if (await withDeadline(() => isUpToDate(sql, migrations), deadline, giveUp)) return 0;
    return await withDeadline(() => migrateUnderLock(sql, migrations, refuse), MIGRATION_DEADLINE_MS, giveUp);
  } catch (error) {
    throw postgresFailure(error);
  } finally {
    closePool(sql, 0);
  }
}

/** Throws UnusableDatabase if the database cannot be used at all. */
async function isUpToDate(sql: SQL, migrations: readonly Migration[]): Promise<boolean> {
  await requireUsable(sql);
  const { schema, oldestKnown } = await appliedSchema(sql);
  if (schema < migrations.length || oldestKnown > migrations.length) return false;
  return !(await isMoved(sql));
}

function migrateUnderLock(
  sql: SQL,
  migrations: readonly Migration[],
  refuse: (tx: TransactionSQL, wasEmpty: boolean) => Promise<void>,
): Promise<number> {
  return sql.begin(async (tx) => {
    await tx.unsafe(
      `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '5min'; SET LOCAL synchronous_commit = on`,
    );
    await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    // A migration must not wait long for a lock, because everyone after it would wait as well.
    await tx.unsafe("SET LOCAL lock_timeout = '5s'");
    const applied = await migrateAlone(tx, migrations);
    await refuse(tx, applied === migrations.length);
    return applied;
  });
}

function emptyDatabase(): UnusableDatabase {
  return new UnusableDatabase("The database is empty: name the one that the server uses with --database");
}

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

/** Throws in the transaction of the migration, which leaves the database as it was. */
async function refuseMoved(tx: TransactionSQL): Promise<void> {
  if (await isMoved(tx)) throw new MovedDatabase();
}

async function isMoved(sql: SQL): Promise<boolean> {
  return (await sql`SELECT value FROM meta WHERE key = 'moved_at'`).length > 0;
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
  if (schema > 0) await refuseWhileNeeded(tx, last.oldestKnown);
  for (const { statements } of missing) await tx.unsafe(statements);
  await tx`
    INSERT INTO meta (key, value) VALUES ('schema', ${migrations.length}), ('oldest_known_schema', ${last.oldestKnown})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
  return missing.length;
}

/** Refuses to take away what a live node needs. Such a node cannot start again afterwards. */
async function refuseWhileNeeded(tx: TransactionSQL, oldestKnown: number): Promise<void> {
  const [node] = await tx`
    SELECT name, version FROM nodes WHERE schema < ${oldestKnown} AND lease_ends_at > clock_timestamp() LIMIT 1`;
  if (!node) return;
  throw new UnusableDatabase(
    `The node ${node.name} runs version ${node.version}, which needs what this version removes: upgrade it to the version between them first, or stop it`,
  );
}

/** A database without tables has the schema 0. */
async function appliedSchema(tx: SQL): Promise<{ readonly schema: number; readonly oldestKnown: number }> {
  // A session remembers what to_regclass did not find, until it reads a table again. Meanwhile another node may have
  // migrated the database.
  const tables = await tx`SELECT FROM pg_class WHERE relname = 'meta' AND pg_table_is_visible(oid)`;
  if (tables.length === 0) return { schema: 0, oldestKnown: 0 };
  const rows: readonly { key: string; value: string }[] = await tx`SELECT key, value FROM meta`;
  const numberOf = (key: string) => Number(rows.find((row) => row.key === key)?.value ?? 0);
  return { schema: numberOf("schema"), oldestKnown: numberOf("oldest_known_schema") };
}
