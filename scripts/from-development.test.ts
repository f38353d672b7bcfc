import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../src/storage/sqlite/store.ts";
import { contentOf, inDatabase, makeFilledDatabase, schemaOf } from "../src/storage/sqlite/testing/earlier-database.ts";
import { temporaryFolder } from "../src/testing/temporary-folder.ts";

test("the data folder of a development version has all rows in this version's schema, and opens", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "vitrine.db");
  await makeFilledDatabase(file);
  const [schema, rows] = [schemaOf(file), contentOf(file)];
  inDatabase(file, (db) => {
    // What this version no longer has, and what it has since.
    db.run("ALTER TABLE sites ADD COLUMN former TEXT");
    db.run("CREATE TABLE former (id INTEGER PRIMARY KEY)");
    db.run("DROP TABLE setup_links");
    db.run("PRAGMA user_version = 28");
  });
  const content = join(folder, "content", "ab");
  for (const name of ["abcd", "abcd.br"]) await Bun.write(join(content, name), "");
  const script = join(import.meta.dir, "from-development.ts");
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, folder]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  expect(readdirSync(content)).toEqual(["abcd"]);
  expect(schemaOf(file)).toEqual(schema);
  expect(contentOf(file)).toEqual({ ...rows, setup_links: [] });
  const store = openSqliteStore(file);
  expect(await store.checkIntegrity()).toEqual([]);
  store.close();
});
