import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { migrate } from "./migrate.ts";
import * as schema from "./schema.ts";
import { columnsOf } from "./testing/earlier-database.ts";

test("Drizzle's tables and the migrations have the same columns", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-schema-"));
  try {
    const file = join(folder, "vitrine.db");
    await migrate(file);
    const made = columnsOf(file);
    const named = Object.values(schema).flatMap((table) => {
      if (!is(table, SQLiteTable)) return [];
      const { name, columns } = getTableConfig(table);
      return [[name, columns.map((column) => column.name).sort()] as const];
    });
    expect(named.length).toBeGreaterThan(20);
    for (const [table, columns] of named) expect([table, [...(made[table] ?? [])].sort()]).toEqual([table, columns]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
