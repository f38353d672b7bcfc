import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examineFolder } from "./examine.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "vitrine-examine-"));
});
afterEach(() => rmSync(root, { recursive: true }));

test("a name in the data folder without a file is not another user's", () => {
  writeFileSync(join(root, "vitrine.db"), "");
  symlinkSync("nowhere", join(root, "vitrine.toml"));
  expect(examineFolder(root)).toMatchObject([{ verdict: "ok", detail: `${root} is private and writable` }]);
});
