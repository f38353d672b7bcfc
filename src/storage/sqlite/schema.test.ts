import { expect, test } from "bun:test";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "../store/schema.ts";
import { columnsOf } from "./testing/earlier-database.ts";
import { temporaryDatabase } from "./testing/temporary-store.ts";

/** Only several nodes need them. */
const OF_POSTGRES = ["changes", "cluster", "log_counters", "nodes", "live_events.row_id"];

/** Read without Drizzle. */
const OF_SQLITE = ["routing_changes"];

/** Returns the columns as `table.column`, without those of one database. */
function shared(columns: readonly (readonly [table: string, column: string])[], own: readonly string[]): string[] {
  const names = columns.filter(([table]) => !own.includes(table)).map((column) => column.join("."));
  return names.filter((name) => !own.includes(name)).sort();
}

test("Drizzle's tables and the migrations have the same columns", () => {
  const made = Object.entries(columnsOf(temporaryDatabase())).flatMap(([table, names]) =>
    names.map((name) => [table, name] as const),
  );
  const tables = Object.values(schema).filter((table) => is(table, PgTable));
  const defined = tables.flatMap((table) =>
    Object.values(getTableColumns(table)).map(({ name }) => [getTableName(table), name] as const),
  );
  expect(tables.length).toBeGreaterThan(50);
  expect(shared(made, OF_SQLITE)).toEqual(shared(defined, OF_POSTGRES));
});
