import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sealCopy } from "../adapters/store/sqlite/snapshot.ts";
import { makeEarlierDatabase } from "../adapters/store/sqlite/testing/earlier-database.ts";
import { dataFolder } from "./data-folder.ts";
import { openStoreToLook } from "./store-to-look.ts";

const temporary = process.env.TMPDIR;
let home: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "vitrine-look-test-"));
  mkdirSync(join(home, "tmp"));
  process.env.TMPDIR = join(home, "tmp");
});
afterEach(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  rmSync(home, { recursive: true });
});

/** A backup as an earlier executable made it. */
async function earlierBackup() {
  const folder = dataFolder(join(home, "backup"));
  mkdirSync(folder.root);
  await makeEarlierDatabase(join(home, "earlier.db"), 4);
  copyFileSync(join(home, "earlier.db"), folder.database);
  await sealCopy(folder.database);
  writeFileSync(folder.description, "{}");
  return folder;
}

test("the copy that is looked at has no name: however the process ends, nothing of it stays", async () => {
  const store = await openStoreToLook(await earlierBackup());
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
  expect(await store.checkIntegrity()).toEqual([]);
  expect(await Array.fromAsync(store.deployments.all())).not.toEqual([]);
  store.close();
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
});
