import { beforeEach, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { examineFolder } from "./examine.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

test("a name in the data folder without a file is not another user's", () => {
  writeFileSync(join(root, "vitrine.db"), "");
  symlinkSync("nowhere", join(root, "vitrine.toml"));
  expect(examineFolder(root)).toMatchObject([{ verdict: "ok", detail: `${root} is private and writable` }]);
});
