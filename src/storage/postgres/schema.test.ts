import { expect } from "bun:test";
import { SQL } from "bun";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import * as schema from "../store/schema.ts";
import { migrate } from "./migrate.ts";
import { makeDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, test } = needing("postgres");

let sql: SQL;
beforeAll(async () => {
  const url = await makeDatabase();
  await migrate(parseDatabaseUrl(url));
  sql = new SQL(url, { max: 1 });
});
afterAll(() => sql.close());

const tables = Object.values(schema).filter((table) => is(table, PgTable));

test("Drizzle's tables and the migrations' name the same columns", async () => {
  const rows = await sql`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`;
  const columns = tables.flatMap((table) =>
    Object.values(getTableColumns(table)).map(({ name }) => `${getTableName(table)}.${name}`),
  );
  expect(columns.sort()).toEqual(rows.map((row: { name: string }) => row.name).sort());
});

test("text is compared and sorted by its bytes, however the database sorts", async () => {
  const others = await sql`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`;
  expect([...others]).toEqual([]);
});
