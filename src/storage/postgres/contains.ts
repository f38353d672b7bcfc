import { type Column, type SQL, sql } from "drizzle-orm";

/** Tests whether a column contains a text, without wildcards and ignoring ASCII case. */
export function contains(column: Column, text: string): SQL {
  return sql`strpos(lower(${column}), lower(${text}::text COLLATE "C")) > 0`;
}
