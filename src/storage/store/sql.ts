import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { byDatabase } from "./by-database.ts";

// The words of SQL that differ between the databases.

type Type = "text" | "bigint";
type Values = readonly (string | number)[];

/** Tests whether a value is one of many, which are one parameter however many they are. */
export function isAnyOf(value: SQLWrapper, values: Values, type: Type): SQL {
  return byDatabase({
    postgres: sql`${value} = ANY(${arrayOf(values, type)})`,
    sqlite: sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  });
}

/** Tests whether a value is none of many. */
export function isNoneOf(value: SQLWrapper, values: Values, type: Type): SQL {
  return byDatabase({
    postgres: sql`${value} <> ALL(${arrayOf(values, type)})`,
    sqlite: sql`${value} NOT IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  });
}

/**
 * Returns rows as a table with the given name, for `FROM`. Each column is given by its values; `position` counts the
 * rows.
 */
export function rowsAs(name: string, columns: Readonly<Record<string, readonly [Type, Values]>>): SQL {
  const entries = Object.entries(columns);
  const alias = sql.identifier(name);
  const names = entries.map(([column]) => sql.identifier(column));
  const arrays = entries.map(([, [type, values]]) => arrayOf(values, type));
  const rows = (entries[0]?.[1][1] ?? []).map((_, row) => entries.map(([, [, values]]) => values[row]));
  const fields = names.map((column, index) => sql`value ->> ${sql.raw(String(index))} AS ${column}`);
  return byDatabase({
    postgres: sql`unnest(${sql.join(arrays, sql`, `)}) WITH ORDINALITY AS ${alias} (${sql.join([...names, sql`position`], sql`, `)})`,
    sqlite: sql`(SELECT ${sql.join(fields, sql`, `)}, key AS position FROM json_each(${JSON.stringify(rows)})) AS ${alias}`,
  });
}

/** Tests whether a column contains a text, without wildcards and ignoring ASCII case. */
export function contains(column: Column, text: string): SQL {
  return byDatabase({
    postgres: sql`strpos(lower(${column}), lower(${byBytes(text)})) > 0`,
    sqlite: sql`instr(lower(${column}), lower(${text})) > 0`,
  });
}

/** A column or a text in a comparison or an order that ignores ASCII case. */
export function ignoringCase(value: Column | string): SQL {
  return byDatabase({
    postgres: typeof value === "string" ? sql`lower(${byBytes(value)})` : sql`lower(${value})`,
    sqlite: sql`${value} COLLATE NOCASE`,
  });
}

/** A text that is compared by its bytes, however PostgreSQL's database compares. SQLite always does. */
export function byBytes(text: string | SQL): SQL {
  return byDatabase({ postgres: sql`CAST(${text} AS text) COLLATE "C"`, sqlite: sql`${text}` });
}

/** The database's clock in milliseconds, because the nodes' clocks may differ. */
export const NOW: SQL<number> = byDatabase<number>({
  postgres: sql`CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)`,
  sqlite: sql`CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`,
}).mapWith(Number);

// --- internal ---

/** Passes values as one parameter. Drizzle would create a parameter for each. */
function arrayOf(values: Values, type: Type): SQL {
  return sql`${sql.param(values)}::${sql.raw(type)}[]`;
}
