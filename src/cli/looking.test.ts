import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sealCopy } from "../storage/sqlite/snapshot.ts";
import { makeEarlierDatabase } from "../storage/sqlite/testing/earlier-database.ts";
import { runCli } from "./testing/run-cli.ts";

describe("the backup folder of an earlier executable, which could not be restored after a change", () => {
  let home: string;
  let backup: string;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "vitrine-looking-"));
    backup = join(home, "backup");
    mkdirSync(backup);
    await makeEarlierDatabase(join(home, "earlier.db"), 4);
    copyFileSync(join(home, "earlier.db"), join(backup, "vitrine.db"));
    await sealCopy(join(backup, "vitrine.db"));
    writeFileSync(join(backup, "vitrine-backup.json"), "{}");
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test.each([
    ["users list", "ada"],
    ["users limit ada", "sites"],
    ["audit", "ada"],
    ["retention show", "Nothing would be removed."],
    ["retention show notes", "Nothing would be removed."],
  ])("stays as it is when `vitrine %s` looks at it", async (command, shown) => {
    const before = readFileSync(join(backup, "vitrine.db"));
    const { status, stdout, stderr } = await runCli([...command.split(" "), "--data-dir", backup]);
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(shown)]);
    expect(readFileSync(join(backup, "vitrine.db")).equals(before)).toBe(true);
    expect(readdirSync(backup).sort()).toEqual(["vitrine-backup.json", "vitrine.db"]);
  });
});

test.each([
  ["users list", 0, "Nobody yet. Add somebody: vitrine users add LOGIN"],
  ...["users limit ada", "audit", "retention show", "verify"].map(
    (command) => [command, 1, "error: FOLDER is no data folder: it has no vitrine.db"] as const,
  ),
] as const)("`vitrine %s` makes no database in a folder that has none", async (command, expected, told) => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-looking-"));
  const { status, stderr } = await runCli([...command.split(" "), "--data-dir", folder]);
  expect([status, stderr]).toEqual([expected, `${told.replace("FOLDER", folder)}\n`]);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
