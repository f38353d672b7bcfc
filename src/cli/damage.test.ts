import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { runCli } from "./testing/run-cli.ts";

let folder: string;
let database: string;

beforeEach(async () => {
  folder = temporaryFolder();
  database = join(folder, "vitrine.db");
  await makeDataFolder(folder);
});

const vitrine = (...args: string[]) => runCli([...args, "--data-dir", folder], { VITRINE_LISTEN: "127.0.0.1:0" });

/** Overwrites the first page of these tables and their indexes, as a broken disk does. */
function damage(...tables: string[]): void {
  using db = new Database(database);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page_size: size } = db.query("PRAGMA page_size").get() as { page_size: number };
  const pages = tables.flatMap((table) => db.query("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?").all(table));
  const fd = openSync(database, "r+");
  for (const page of pages as { rootpage: number }[])
    writeSync(fd, Buffer.alloc(size, 255), 0, size, (page.rootpage - 1) * size);
  closeSync(fd);
}

describe("with damaged tables", () => {
  beforeEach(() => damage("users", "contents"));

  test("verify prints SQLite's findings and skips the affected tables", async () => {
    const { status, stdout, stderr } = await vitrine("verify", "--json");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Restore a backup \(vitrine help restore\)\.\n$/)]);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ kind: "database" })]),
    });
  });

  test("doctor reports it besides everything else, and recommends restoring a backup", async () => {
    const { status, stdout } = await vitrine("doctor", "--json");
    const { findings } = JSON.parse(stdout);
    expect(status).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "database", advice: "restore a backup (vitrine help restore)" }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: "server", detail: "is not running" }));
  });

  test("every other command names the file and a remedy", async () => {
    expect((await vitrine("users", "list")).stderr).toMatch(
      /^error: .*vitrine\.db is damaged .*\nRestore a backup \(vitrine help restore\)\.\n$/,
    );
  });
});
