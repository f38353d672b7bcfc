import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { foldLog } from "./fold-log.ts";

const folder = temporaryFolder();

function soundDatabase(name: string): string {
  const file = join(folder, name);
  const db = new Database(file, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("CREATE TABLE t (x)");
  db.close();
  return file;
}

test.each([
  ["is no database", (bytes: Buffer) => bytes.fill("no database")],
  ["has an unknown format", (bytes: Buffer) => bytes.fill(9, 44, 48)],
])("a database that %s is not changed", (name, damage) => {
  const file = soundDatabase(`${name}.db`);
  const damaged = damage(readFileSync(file));
  writeFileSync(file, damaged);
  foldLog(file);
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

test("a missing database is not created", () => {
  foldLog(join(folder, "missing.db"));
  expect(existsSync(join(folder, "missing.db"))).toBe(false);
});

test("a log in use is reported", () => {
  const file = soundDatabase("used.db");
  using used = new Database(file);
  used.query("SELECT * FROM t").all();
  expect(() => foldLog(file)).toThrow("database is locked");
});
