import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS, type Migration, migrate } from "../migrate.ts";

/** The rows of a table, each with its values by column. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** A migration of a later version, which changes a table and creates another one. */
export const LATER: Migration = `
  ALTER TABLE sites ADD COLUMN theme TEXT NOT NULL DEFAULT 'plain';
  CREATE TABLE later (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  INSERT INTO later (name) VALUES ('first')`;

/** Creates a database as this version does, with rows in every table. */
export async function makeFilledDatabase(file: string): Promise<void> {
  await migrate(file, FIRST);
  inDatabase(file, (db) => db.run(ROWS));
}

/** Makes this process a later version until the value is disposed, so that a filled database is of an earlier one. */
export function becomeLaterVersion(): Disposable {
  const known = MIGRATIONS as Migration[];
  known.push(LATER);
  return { [Symbol.dispose]: () => void known.pop() };
}

/** Returns the rows of every table in a fixed order, with all columns or the given ones. */
export function contentOf(file: string, columns: Readonly<Record<string, readonly string[]>> = {}) {
  return inDatabase(file, (db): Record<string, Rows> => {
    const rows = (table: string) => {
      const wanted = columns[table]?.join(", ") ?? "*";
      const all = db.query<Record<string, unknown>, []>(`SELECT ${wanted} FROM ${table}`).all();
      return all.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    };
    return Object.fromEntries(tablesOf(db).map((table) => [table, rows(table)]));
  });
}

/** Returns the columns by table. */
export function columnsOf(file: string): Record<string, readonly string[]> {
  return inDatabase(file, (db) => {
    const columns = (table: string) =>
      db
        .query<{ name: string }, []>(`PRAGMA table_info(${table})`)
        .all()
        .map(({ name }) => name);
    return Object.fromEntries(tablesOf(db).map((table) => [table, columns(table)]));
  });
}

/** Returns tables, indexes and triggers as SQLite stores them. */
export function schemaOf(file: string): Rows {
  return inDatabase(file, (db) =>
    db
      .query<Record<string, unknown>, []>("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
      .all(),
  );
}

export function inDatabase<T>(file: string, work: (db: Database) => T): T {
  using db = new Database(file, { strict: true });
  return work(db);
}

// --- internal ---

const FIRST = [...MIGRATIONS];
const ROWS = readFileSync(join(import.meta.dir, "rows.sql"), "utf8");

function tablesOf(db: Database): string[] {
  const tables = db.query<{ name: string }, []>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  return tables.all().map(({ name }) => name);
}
