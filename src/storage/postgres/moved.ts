import { sql } from "drizzle-orm";
import type { Drizzle } from "./connection.ts";
import { MovedDatabase } from "./migrate.ts";
import { countRows, rowsOf } from "./rows.ts";

/** Whether the database was moved to a data folder. */
export const IS_MOVED = sql<boolean>`EXISTS (SELECT FROM meta WHERE key = 'moved_at')`;

/** Throws UnusableDatabase if the database was moved to a data folder before this statement. */
export async function refuseMoved(tx: Drizzle): Promise<void> {
  if ((await countRows(rowsOf(tx, sql`SELECT 1 AS moved WHERE ${IS_MOVED}`))) > 0) throw new MovedDatabase();
}

/**
 * Begins a change by a command, which has no lease. It waits for a move, which locks the nodes before it reads the rows,
 * and a move waits for it: the copy contains the change, or the change is refused. Throws UnusableDatabase.
 */
export async function takeTurnWithMoves(tx: Drizzle): Promise<void> {
  await tx.execute(sql`LOCK TABLE nodes IN ROW SHARE MODE`);
  await refuseMoved(tx);
}
