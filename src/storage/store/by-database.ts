import { type SQL, sql } from "drizzle-orm";
import type { Drizzle } from "./connection.ts";

let isForSqlite = false;
const onSqlite = new WeakSet<Drizzle>();

/**
 * Returns SQL that differs between the databases. The dialect of the connection chooses when it writes the query, so
 * one expression serves both.
 */
export function byDatabase<T = unknown>(texts: { readonly postgres: SQL; readonly sqlite: SQL }): SQL<T> {
  const chosen = { getSQL: () => (isForSqlite ? texts.sqlite : texts.postgres), shouldOmitSQLParens: () => true };
  return sql<T>`${chosen}`;
}

/** Returns whether queries of this builder run on SQLite. */
export function runsOnSqlite(db: Drizzle): boolean {
  return onSqlite.has(db);
}

/** Marks a builder for `runsOnSqlite`. */
export function markForSqlite(db: Drizzle): Drizzle {
  onSqlite.add(db);
  return db;
}

/** Writes a query for SQLite. Writing a query is synchronous, so no other query is written meanwhile. */
export function writingForSqlite<T>(write: () => T): T {
  isForSqlite = true;
  try {
    return write();
  } finally {
    isForSqlite = false;
  }
}
