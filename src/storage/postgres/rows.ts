import type { SQL } from "drizzle-orm";
import type { Drizzle } from "./connection.ts";

/** Returns the first of the rows that a query finds; null where it finds none. */
export async function first<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await query;
  return row ?? null;
}

/** Returns how many rows a change returned. */
export async function countRows(query: PromiseLike<readonly unknown[]>): Promise<number> {
  return (await query).length;
}

/** Returns the rows of a statement that is written by hand. Whole numbers, all int8 here, are text in them. */
export async function rowsOf<Row>(db: Drizzle, statement: SQL): Promise<readonly Row[]> {
  return (await db.execute(statement)) as unknown as readonly Row[];
}
