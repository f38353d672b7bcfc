import { type Column, type SQL, sql } from "drizzle-orm";

/** Tests whether a column contains a text, without wildcards and ignoring ASCII case. */
export function contains(column: Column, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text})) > 0`;
}
