import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { prepareDataFolder } from "./data-folder.ts";

test.each([
  ["a file", "notes.txt", "it is a file"],
  ["a path below a file", "notes.txt/data", "a part of this path is a file"],
])("%s is refused as a data folder with a remedy", (_, path, reason) => {
  const home = temporaryFolder();
  writeFileSync(join(home, "notes.txt"), "");
  const root = join(home, path);
  const message = `the data folder ${root} cannot be used: ${reason}: name a folder with --data-dir`;
  expect(() => prepareDataFolder(root)).toThrow(message);
});
