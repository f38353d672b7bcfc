/** Returns the columns of the tables that statements create, as `table.column`. */
export function createdColumns(statements: string): readonly string[] {
  const columns: string[] = [];
  let table: string | null = null;
  for (const line of statements.split("\n")) {
    if (line.startsWith("CREATE TABLE ")) table = line.split(" ")[2] ?? null;
    else if (line.startsWith(")")) table = null;
    // Constraints are in upper case.
    else if (table !== null && /^ {2}[a-z]/.test(line)) columns.push(`${table}.${line.trim().split(" ", 1)[0]}`);
  }
  return columns;
}

/**
 * Returns why a database of the first schema cannot be used; null if it can be. Before the first release, the first
 * schema grew while its number stayed.
 */
export function whyUnfinished(statements: string, present: readonly string[]): string | null {
  const known = new Set(present);
  const missing = createdColumns(statements).filter((column) => !known.has(column));
  if (missing.length === 0) return null;
  const more = missing.length === 1 ? "" : ` and ${missing.length - 1} more columns`;
  return `was made by a development version, and lacks ${missing[0]}${more}`;
}
