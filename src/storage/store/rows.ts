import type { SQL } from "drizzle-orm";
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

/** Returns the rows of a plain SQL statement. Integers, which are all int8, are text in them. */
export async function rowsOf<Row>(db: Drizzle, statement: SQL): Promise<readonly Row[]> {
  return (await db.execute(statement)) as unknown as readonly Row[];
}
