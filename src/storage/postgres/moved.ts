import { sql } from "drizzle-orm";
import { DomainError } from "../../domain/errors.ts";
import type { Drizzle } from "../store/connection.ts";
import { countRows, rowsOf } from "../store/rows.ts";
import { MovedDatabase } from "./migrate.ts";

/** Whether the database was moved to a data folder. */
export const IS_MOVED = sql<boolean>`EXISTS (SELECT FROM meta WHERE key = 'moved_at')`;

/** Throws UnusableDatabase if the database was moved to a data folder before this statement. */
export async function refuseMoved(tx: Drizzle): Promise<void> {
  if ((await countRows(rowsOf(tx, sql`SELECT 1 AS moved WHERE ${IS_MOVED}`))) > 0) throw new MovedDatabase();
}

/** Refuses a change to a database that was moved to a data folder. */
export function changeRefused(): DomainError {
  return new DomainError("unavailable", "the database was moved to a data folder: changes have to be made there");
}
