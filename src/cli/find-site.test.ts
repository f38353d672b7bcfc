import { Database } from "bun:sqlite";
import { beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { runCli } from "./testing/run-cli.ts";

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  await makeDataFolder(folder);
  await runCli(["users", "add", "ada", "--data-dir", folder]);
});

function addSites(...names: string[]): void {
  using db = new Database(join(folder, "vitrine.db"));
  for (const name of names) {
    db.query(`INSERT INTO sites (name, owner_id, private, created_at, last_deployed_at, last_number)
              SELECT ?, id, 0, 0, 0, 0 FROM users`).run(name);
  }
}

const refusal = async (...args: string[]) => (await runCli([...args, "--data-dir", folder])).stderr;

test.each(["freeze", "unfreeze", "audit --site", "retention show", "retention pin 1"])(
  "%s of an unknown site lists the existing ones",
  async (words) => {
    addSites("weblog", "about");
    const [verbs, number] = [words.split(" ").filter((word) => word !== "1"), words.endsWith("1") ? ["1"] : []];
    expect(await refusal(...verbs, "demo", ...number)).toBe(
      "error: there is no site called demo\nSites: about, weblog\n",
    );
  },
);

test("for a misspelled name the right one is suggested", async () => {
  addSites("weblog", "about");
  expect(await refusal("freeze", "webblog")).toEndWith("Did you mean weblog?\n");
});

test("of many sites only some are listed", async () => {
  addSites(...Array.from({ length: 12 }, (_, index) => `site-${String(index).padStart(2, "0")}`));
  expect(await refusal("freeze", "demo")).toEndWith("site-08, site-09 and 2 more\n");
});

test("without any site the error says so", async () => {
  expect(await refusal("freeze", "demo")).toEndWith("There are no sites yet.\n");
});
