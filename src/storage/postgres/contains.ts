import { type Column, type SQL, sql } from "drizzle-orm";

/** Returns whether a column contains a text, in which nothing stands for anything else; regardless of case in ASCII. */
export function contains(column: Column, text: string): SQL {
  return sql`strpos(lower(${column}), lower(${text}::text COLLATE "C")) > 0`;
}
