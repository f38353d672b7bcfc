import { count, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Drizzle } from "./connection.ts";

/** Returns the first row of a query; null if there is none. */
export async function first<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await query;
  return row ?? null;
}

/** Returns the number of rows of a change with RETURNING. */
export async function countRows(query: PromiseLike<readonly unknown[]>): Promise<number> {
  return (await query).length;
}

/** Returns whether a table has a row that meets the condition. */
export async function hasRow(db: Drizzle, table: PgTable, which: SQL | undefined): Promise<boolean> {
  return (await first(db.select(ONE).from(table).where(which).limit(1))) !== null;
}

/** Returns how many rows of a table meet the condition, or how many there are. */
export async function countOf(db: Drizzle, table: PgTable, which?: SQL | undefined): Promise<number> {
  return (await first(db.select({ total: count() }).from(table).where(which)))!.total;
}

/** Deletes the rows of a table that meet the condition, and returns their number. */
export function deleteRows(tx: Drizzle, table: PgTable, which: SQL | undefined): Promise<number> {
  return countRows(tx.delete(table).where(which).returning(ONE));
}

/** Yields all rows of a query that reads them in pages: those after a row, or the first ones. Ends at an empty page. */
export async function* inPages<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void, void> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) yield* page;
}

/** Returns the rows of a plain SQL statement. Integers, which are all int8, are text in them. */
export async function rowsOf<Row>(db: Drizzle, statement: SQL): Promise<readonly Row[]> {
  return (await db.execute(statement)) as unknown as readonly Row[];
}

// --- internal ---

const ONE = { one: sql`1` };
