import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadDataFolderConfig } from "../config/settings.ts";
import { becomeLaterVersion, makeFilledDatabase } from "../storage/sqlite/testing/earlier-database.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { moveToServices, withDataFolder } from "./operator.ts";

const ELSEWHERE = "postgres://vitrine@127.0.0.1:1/vitrine";

let backup: string;

let later: Disposable;
beforeEach(() => {
  later = becomeLaterVersion();
});
afterEach(() => later[Symbol.dispose]());
beforeEach(async () => {
  backup = temporaryFolder();
  await makeFilledDatabase(join(backup, "vitrine.db"));
  writeFileSync(join(backup, "vitrine-backup.json"), "{}");
});

test("a changing command on a backup does not change the database in the settings", async () => {
  const config = loadDataFolderConfig({ flags: { dataDir: backup, database: ELSEWHERE }, env: {} });
  const logins = await withDataFolder(config, async ({ store }) =>
    (await store.users.list()).map(({ login }) => login),
  );
  expect(logins).toContain("ada");
});

test("a backup is not moved, because it could not be restored afterwards", async () => {
  const database = join(backup, "vitrine.db");
  const before = readFileSync(database);
  const config = loadDataFolderConfig({ flags: { dataDir: backup }, env: {} });
  const progress = { begin() {}, advance() {} };
  const move = moveToServices(config, { content: null, database: ELSEWHERE }, { dryRun: false, progress });
  const refusal = `${backup} is a backup: restore it with vitrine restore, and move the restored folder`;
  await expect(move).rejects.toThrow(refusal);
  expect(readFileSync(database).equals(before)).toBe(true);
  expect(readdirSync(backup).sort()).toEqual(["vitrine-backup.json", "vitrine.db"]);
});
