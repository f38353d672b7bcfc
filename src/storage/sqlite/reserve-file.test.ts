import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { createReserveFile, releaseReserveFile } from "./reserve-file.ts";

test("the reserve file is released once, and one that cannot be removed does not count", () => {
  const folder = temporaryFolder();
  const database = join(folder, "vitrine.db");
  createReserveFile(database);
  expect(existsSync(join(folder, "ballast"))).toBe(true);
  expect([releaseReserveFile(database), releaseReserveFile(database)]).toEqual([true, false]);
  // Root can remove everything, except a folder as if it were a file.
  mkdirSync(join(folder, "ballast"));
  expect(releaseReserveFile(database)).toBe(false);
});
