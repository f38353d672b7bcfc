import type { GetColumnData } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** A row of a plain SQL statement, by the names of its columns. */
export type RawRow = Readonly<Record<string, string | number | null>>;

type Fields<Columns extends Record<string, SQLiteColumn>> = {
  -readonly [Field in keyof Columns]: GetColumnData<Columns[Field]>;
};

/**
 * Returns a function that converts rows of a plain SQL statement as the query builder would, for statements that it
 * makes too slow.
 */
export function rowReader<Columns extends Record<string, SQLiteColumn>>(
  columns: Columns,
): (row: RawRow) => Fields<Columns> {
  const fields = Object.entries(columns);
  return (row) => {
    const read: Record<string, unknown> = {};
    for (const [field, column] of fields) {
      const value = row[column.name];
      read[field] = value === null ? null : column.mapFromDriverValue(value);
    }
    return read as Fields<Columns>;
  };
}
