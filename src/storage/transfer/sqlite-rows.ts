import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { GivenIds, RowSource, RowTarget } from "./copy.ts";
import { quoted, type Row, sharedRowsOf, TABLES, type Table, type Value } from "./tables.ts";

/** Rows of a page, and about how many bytes they may have. */
const PAGE_ROWS = 1000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Reads the rows of a database that nobody changes meanwhile. */
export function sqliteSource(db: Database): RowSource {
  return {
    async *rows(table) {
      let page: Row[] = [];
      let bytes = 0;
      for (const row of selectAll(db, table)) {
        page.push(row);
        bytes += sizeOf(row);
        if (page.length < PAGE_ROWS && bytes < PAGE_BYTES) continue;
        yield page;
        page = [];
        bytes = 0;
      }
      if (page.length > 0) yield page;
    },

    givenIds: async () => givenIds(db),
  };
}

/** Adds rows to a new database, in the transaction of the caller. */
export function sqliteTarget(db: Database): RowTarget {
  return {
    async add({ name, columns }, rows) {
      const places = columns.map(() => "?").join(", ");
      // A new database has a row of its own in some tables.
      const insert = db.query<void, SQLQueryBindings[]>(
        `INSERT OR REPLACE INTO ${name} (${quoted(columns.map((column) => column.name))}) VALUES (${places})`,
      );
      for (const row of rows) insert.run(...(row as SQLQueryBindings[]));
    },

    async complete(given) {
      const [orphan] = db.query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check").all();
      if (orphan) throw new Error(`a row of ${orphan.table} refers to one of ${orphan.parent} that is missing`);
      continueIds(db, given);
    },
  };
}

/** Returns the number of shared rows. */
export function countRows(db: Database): number {
  const counts = TABLES.map(
    (name) => db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${name} ${sharedRowsOf(name)}`).get()?.rows,
  );
  return counts.reduce<number>((sum, rows) => sum + (rows ?? 0), 0);
}

/** Yields the keys of rows with a NUL character in a text, each with the column. PostgreSQL cannot store them. */
export function* findNulCharacters(
  db: Database,
  tables: readonly Table[],
): Generator<{ readonly table: Table; readonly row: Row; readonly column: string }> {
  for (const table of tables) {
    const texts = table.columns.filter(({ type }) => type === "TEXT");
    if (texts.length === 0) continue;
    const condition = texts.map(({ name }) => `instr(CAST("${name}" AS BLOB), x'00') > 0`).join(" OR ");
    for (const row of selectAll(db, table, `WHERE ${condition}`)) {
      const column = table.columns.find((_, index) => String(row[index]).includes("\0"));
      yield { table, row, column: column?.name ?? "" };
    }
  }
}

// --- internal ---

function* selectAll(db: Database, table: Table, condition = sharedRowsOf(table.name)): Iterable<Row> {
  const columns = quoted(table.columns.map(({ name }) => name));
  // Logins have a collation that ignores case.
  const order = table.key.map((name) => `"${name}" COLLATE BINARY`).join(", ");
  using query = db.prepare<Record<string, Value>, []>(
    `SELECT ${columns} FROM ${table.name} ${condition} ORDER BY ${order}`,
  );
  for (const row of query.iterate()) yield Object.values(row);
}

function sizeOf(row: Row): number {
  return row.reduce<number>((sum, value) => sum + (value === null || typeof value === "number" ? 8 : value.length), 0);
}

/** Some tables have no such number; what they delete last may be given out again. */
function givenIds(db: Database): GivenIds {
  const rows = db.query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence").all();
  return new Map(rows.filter(({ name }) => TABLES.includes(name)).map(({ name, seq }) => [name, seq]));
}

function continueIds(db: Database, given: GivenIds): void {
  const isNumbered = db.query<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'",
  );
  const forget = db.query<void, [string]>("DELETE FROM sqlite_sequence WHERE name = ?");
  const add = db.query<void, [string, number]>("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
  for (const { name } of isNumbered.all()) {
    const highest = db.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${name}`).get()?.id ?? 0;
    const last = lastGiven(db, name, Math.max(highest, given.get(name) ?? 0));
    forget.run(name);
    if (last > 0) add.run(name, last);
  }
}

/**
 * In SQLite the audit log must have all numbers that were given out. PostgreSQL gives out some for entries that are never
 * committed.
 */
function lastGiven(db: Database, name: string, given: number): number {
  if (name !== "audit") return given;
  const last = db.query<{ id: number | null }, []>(
    "SELECT max(id) AS id FROM (SELECT max(id) AS id FROM audit UNION ALL SELECT last_id FROM audit_anchor)",
  );
  return last.get()?.id ?? 0;
}
