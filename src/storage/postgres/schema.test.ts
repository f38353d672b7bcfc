import { expect } from "bun:test";
import { SQL } from "bun";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import * as sqliteSchema from "../sqlite/schema.ts";
import { migrate } from "./migrate.ts";
import * as schema from "./schema.ts";
import { makeDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, test } = needing("postgres");

/** Tables that SQLite has without Drizzle. */
const BY_HAND = ["content_objects", "content_locations", "content_bucket"];

/** Tables that only one of the databases has, because their logs of changes differ, or the other has no nodes. */
const OWN = {
  sqlite: ["routing_changes"],
  postgres: ["changes", "cluster", "log_counters", "live_events", "nodes", ...BY_HAND],
};
/** Identifies a commit whose response was lost, which cannot happen with SQLite. */
const OWN_COLUMNS = ["deployments.publication_id"];

let sql: SQL;
beforeAll(async () => {
  const url = await makeDatabase();
  await migrate(parseDatabaseUrl(url));
  sql = new SQL(url, { max: 1 });
});
afterAll(() => sql.close());

/** Returns the columns by table, each as `table.column`. */
function columnsOf(tables: readonly (PgTable | SQLiteTable)[]): readonly string[] {
  return tables
    .flatMap((table) => Object.values(getTableColumns(table)).map(({ name }) => `${getTableName(table)}.${name}`))
    .sort();
}

const tables = Object.values(schema).filter((table) => is(table, PgTable));

test("Drizzle's tables and the migrations' name the same columns", async () => {
  const rows = await sql`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`;
  expect(columnsOf(tables)).toEqual(rows.map((row: { name: string }) => row.name).sort());
});

test("the tables are those of SQLite", () => {
  const sqliteTables = Object.values(sqliteSchema).filter((table) => is(table, SQLiteTable));
  const without = (names: readonly string[]) => (column: string) =>
    !names.includes(column) && !names.includes(column.split(".")[0] as string);
  const shared = columnsOf(tables).filter(without([...OWN.postgres, ...OWN_COLUMNS]));
  expect(shared).toEqual(columnsOf(sqliteTables).filter(without([...OWN.sqlite, "live_events"])));
});

test("text is compared and sorted by its bytes, however the database sorts", async () => {
  const others = await sql`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`;
  expect([...others]).toEqual([]);
});
