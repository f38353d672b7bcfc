import { getTableColumns, type Table } from "drizzle-orm";

/** Returns these columns of a table. */
export function columnsOf<T extends Table, Name extends keyof T["_"]["columns"]>(
  table: T,
  ...names: readonly Name[]
): Pick<T["_"]["columns"], Name> {
  return filterColumns(table, (name) => names.includes(name as Name)) as Pick<T["_"]["columns"], Name>;
}

/** Returns the other columns of a table, without those that the domain does not read, such as the hashes of secrets. */
export function columnsExcept<T extends Table, Name extends keyof T["_"]["columns"]>(
  table: T,
  ...excluded: readonly Name[]
): Omit<T["_"]["columns"], Name> {
  return filterColumns(table, (name) => !excluded.includes(name as Name)) as Omit<T["_"]["columns"], Name>;
}

// --- internal ---

function filterColumns(table: Table, isSelected: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(getTableColumns(table)).filter(([name]) => isSelected(name)));
}
