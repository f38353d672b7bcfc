import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { encodingsOf, takeSnapshot } from "./snapshot.ts";
import { inDatabase, makeFilledDatabase } from "./testing/earlier-database.ts";

const folder = temporaryFolder();

test("a copy is private to its owner even while it is created", () => {
  const file = join(folder, "damaged.db");
  const db = new Database(file, { create: true });
  db.run("CREATE TABLE t (x)");
  for (let row = 0; row < 100; row++) db.query("INSERT INTO t VALUES (randomblob(4000))").run();
  db.close();
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(4096, 7), 0, 4096, 50 * 4096);
  closeSync(fd);
  // It ends in the middle and shows the data up to there.
  const copy = join(folder, "copy.db");
  expect(() => takeSnapshot(file, copy)).toThrow("malformed");
  expect(statSync(copy).mode & 0o777).toBe(0o600);
});

test("a copy has no encodings, so that a restored server encodes all content again", async () => {
  const [file, copy] = [join(folder, "encoded.db"), join(folder, "copy-of-encoded.db")];
  await makeFilledDatabase(file);
  expect(encodingsOf(file)).toHaveLength(1);
  takeSnapshot(file, copy);
  expect(encodingsOf(copy)).toEqual([]);
  expect(inDatabase(copy, (db) => db.query("SELECT * FROM encoding_claims").all())).toEqual([]);
});
