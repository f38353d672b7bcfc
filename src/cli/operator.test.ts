import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sealCopy } from "../storage/sqlite/snapshot.ts";
import { becomeLaterVersion, makeFilledDatabase } from "../storage/sqlite/testing/earlier-database.ts";
import { freePort } from "../testing/free-port.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { runCli } from "./testing/run-cli.ts";

describe("the backup folder of an older executable, which could no longer be restored after a change", () => {
  let later: Disposable;
  let home: string;
  let backup: string;

  beforeEach(async () => {
    home = temporaryFolder();
    backup = join(home, "backup");
    mkdirSync(backup);
    await makeFilledDatabase(join(home, "earlier.db"));
    copyFileSync(join(home, "earlier.db"), join(backup, "vitrine.db"));
    await sealCopy(join(backup, "vitrine.db"));
    writeFileSync(join(backup, "vitrine-backup.json"), "{}");
    later = becomeLaterVersion();
  });
  afterEach(() => later[Symbol.dispose]());

  test.each([
    ["users list", "ada"],
    ["users limit ada", "sites"],
    ["audit", "ada"],
    ["retention show", "No deployments would be deleted."],
    ["retention show notes", "No deployments would be deleted."],
  ])("is not changed when `vitrine %s` reads it", async (command, shown) => {
    const before = readFileSync(join(backup, "vitrine.db"));
    const { status, stdout, stderr } = await runCli([...command.split(" "), "--data-dir", backup]);
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(shown)]);
    expect(readFileSync(join(backup, "vitrine.db")).equals(before)).toBe(true);
    expect(readdirSync(backup).sort()).toEqual(["vitrine-backup.json", "vitrine.db"]);
  });
});

describe("only serve creates a data folder", () => {
  const TO_A_BACKUP = "backup /tmp/none.tar.zst";
  const lookers = ["users list", "users limit ada", "audit", "retention show", "verify", TO_A_BACKUP];
  const changers = [
    "users add ada --password-stdin",
    "users passwd ada --password-stdin",
    ...["users remove ada", "users session ada", "users freeze ada", "users unfreeze ada", "users limit ada --sites 1"],
    ...["freeze demo", "unfreeze demo"],
    ...["retention run", "retention set demo --default", "retention pin demo 1", "retention unpin demo 1"],
  ];

  test.each([...lookers, ...changers])("not vitrine %s", async (command) => {
    const home = temporaryFolder();
    for (const folder of [home, join(home, "missing")]) {
      const { status, stdout, stderr } = await runCli([...command.split(" "), "--data-dir", folder]);
      expect([status, stdout, stderr]).toEqual([
        1,
        "",
        `error: there is no database in ${folder} (named by --data-dir)\n` +
          "Name the server's data folder with --data-dir; only vitrine serve makes a new one.\n",
      ]);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  test("not doctor, which works without one", async () => {
    const home = temporaryFolder();
    await runCli(["doctor", "--data-dir", join(home, "missing")], { VITRINE_LISTEN: "127.0.0.1:0" });
    expect(readdirSync(home)).toEqual([]);
  });
});

test("an unknown variable is reported before a missing data folder", async () => {
  const { status, stderr } = await runCli(["users", "list"], { VITRINE_DATADIR: "/srv", VITRINE_DATA_DIR: "/nowhere" });
  expect([status, stderr]).toEqual([
    1,
    "warning: VITRINE_DATADIR is not a setting and has no effect; did you mean VITRINE_DATA_DIR?\n" +
      "error: there is no database in /nowhere (named by VITRINE_DATA_DIR)\n" +
      "Name the server's data folder with --data-dir; only vitrine serve makes a new one.\n",
  ]);
});

test("a database that does not answer is named, with what to do", async () => {
  const database = `postgres://127.0.0.1:${freePort()}/vitrine`;
  for (const command of ["users list", "verify", "backup /tmp/none.tar.zst"]) {
    const { status, stderr } = await runCli([...command.split(" "), "--data-dir", "/tmp/none", "--database", database]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: PostgreSQL at 127.*: check host and port/)]);
  }
});
