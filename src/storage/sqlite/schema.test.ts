import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "../store/schema.ts";
import { migrate } from "./migrate.ts";
import { columnsOf } from "./testing/earlier-database.ts";

/** Only several nodes need them. */
const OF_POSTGRES = ["changes", "cluster", "log_counters", "nodes", "live_events.row_id"];

/** Read without Drizzle. */
const OF_SQLITE = ["routing_changes"];

/** Returns the columns as `table.column`, without those of one database. */
function shared(columns: readonly (readonly [table: string, column: string])[], own: readonly string[]): string[] {
  const names = columns.filter(([table]) => !own.includes(table)).map((column) => column.join("."));
  return names.filter((name) => !own.includes(name)).sort();
}

test("Drizzle's tables and the migrations have the same columns", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-schema-"));
  try {
    const file = join(folder, "vitrine.db");
    await migrate(file);
    const made = Object.entries(columnsOf(file)).flatMap(([table, names]) =>
      names.map((name) => [table, name] as const),
    );
    const tables = Object.values(schema).filter((table) => is(table, PgTable));
    const defined = tables.flatMap((table) =>
      Object.values(getTableColumns(table)).map(({ name }) => [getTableName(table), name] as const),
    );
    expect(tables.length).toBeGreaterThan(50);
    expect(shared(made, OF_SQLITE)).toEqual(shared(defined, OF_POSTGRES));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
