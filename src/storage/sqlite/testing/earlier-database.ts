import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS, migrate } from "../migrate.ts";

/** The rows of a table, each with its values by column. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** The databases created so far, by schema. */
const made = new Map<number, Uint8Array>();

/** Creates a database as the executable of that schema did, with rows in every table. */
export async function makeEarlierDatabase(file: string, version: number): Promise<void> {
  const nearest = Math.max(0, ...[...made.keys()].filter((schema) => schema <= version));
  const kept = made.get(nearest);
  if (kept) writeFileSync(file, kept, { mode: 0o600 });
  for (let schema = nearest + 1; schema <= version; schema++) {
    await migrate(file, MIGRATIONS.slice(0, schema));
    inDatabase(file, (db) => db.run(rowsOf(schema)));
    made.set(
      schema,
      inDatabase(file, (db) => db.serialize()),
    );
  }
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
  const db = new Database(file, { strict: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

// --- internal ---

const MIGRATION_FILES = readdirSync(join(import.meta.dir, "..", "migrations")).sort();

/** A schema that only changes tables with rows needs none of its own. */
function rowsOf(schema: number): string {
  const number = MIGRATION_FILES[schema - 1]?.slice(0, 4);
  const file = join(import.meta.dir, `rows-${number}.sql`);
  return existsSync(file) ? readFileSync(file, "utf8") : "SELECT 1";
}

function tablesOf(db: Database): string[] {
  const tables = db.query<{ name: string }, []>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  return tables.all().map(({ name }) => name);
}
