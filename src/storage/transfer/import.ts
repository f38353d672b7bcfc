import type { Database } from "bun:sqlite";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { isOfThisVersion, migrateEmpty, requireEmpty, unmarkMoved } from "../postgres/migrate.ts";
import { copyRows, findDifference, type RowSource } from "./copy.ts";
import { requireEqual } from "./export.ts";
import { postgresSource, postgresTarget } from "./postgres-rows.ts";
import { inLongTransaction, type Run } from "./postgres-transaction.ts";
import { sqliteSource } from "./sqlite-rows.ts";
import type { Table } from "./tables.ts";

/** What a PostgreSQL database is for an import. */
export type TargetState =
  /** It has no tables. */
  | "empty"
  /** It has the same rows already, because an earlier import was committed. */
  | "same"
  /** It has other tables or rows. */
  | "other";

/** Called with the number of rows copied or compared since the last call. */
interface Steps {
  readonly copied: (rows: number) => void;
  readonly compared: (rows: number) => void;
}

/**
 * Copies the rows of a SQLite database to an empty PostgreSQL database and compares them, all in one transaction, so that
 * an interrupted import leaves nothing. Returns the state before; anything but an empty database stays as it was. Throws
 * UnusableDatabase.
 */
export function importFromSqlite(
  db: Database,
  tables: readonly Table[],
  url: DatabaseUrl,
  { copied, compared }: Steps,
): Promise<TargetState> {
  const source = sqliteSource(db);
  return inLongTransaction(url, "READ COMMITTED", async (run, tx) => {
    if (!(await migrateEmpty(tx))) {
      const state = (await isOfThisVersion(tx)) ? await compareWith(run, source, tables, compared) : "other";
      if (state === "same") await unmarkMoved(tx);
      return state;
    }
    await copyRows(tables, source, await postgresTarget(run), copied);
    await requireEqual(tables, source, postgresSource(run), compared);
    return "empty";
  });
}

/** Returns what an import would find, and changes nothing. Throws UnusableDatabase. */
export function inspectTarget(db: Database, tables: readonly Table[], url: DatabaseUrl): Promise<TargetState> {
  return inLongTransaction(url, "REPEATABLE READ READ ONLY", async (run, tx) => {
    if (await requireEmpty(tx)) return "empty";
    return (await isOfThisVersion(tx)) ? compareWith(run, sqliteSource(db), tables, () => {}) : "other";
  });
}

// --- internal ---

async function compareWith(
  run: Run,
  source: RowSource,
  tables: readonly Table[],
  compared: (rows: number) => void,
): Promise<TargetState> {
  return (await findDifference(tables, source, postgresSource(run), compared)) === null ? "same" : "other";
}
