import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeSnapshot } from "./snapshot.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-snapshot-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a copy is for its owner's eyes alone also while it is being made", () => {
  const file = join(folder, "damaged.db");
  const db = new Database(file, { create: true });
  db.run("CREATE TABLE t (x)");
  for (let row = 0; row < 100; row++) db.query("INSERT INTO t VALUES (randomblob(4000))").run();
  db.close();
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(4096, 7), 0, 4096, 50 * 4096);
  closeSync(fd);
  // It ends in the middle, and so shows what there was until then.
  const copy = join(folder, "copy.db");
  expect(() => takeSnapshot(file, copy)).toThrow("malformed");
  expect(statSync(copy).mode & 0o777).toBe(0o600);
});
