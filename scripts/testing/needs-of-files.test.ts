import { expect, test } from "bun:test";
import { join } from "node:path";
import { needsOfFiles } from "./needs-of-files.ts";

const ROOT = join(import.meta.dir, "..", "..");

test.each([
  ["none", "src/jobs/scheduler.test.ts", []],
  ["one that the file names", "src/clients/dns/responder.test.ts", ["dig"]],
  ["several", "src/storage/replica/full.disk.test.ts", ["postgres", "disk"]],
  ["those that its helpers name", "src/archive/zip/tools.test.ts", ["7z", "bsdtar", "python", "zip"]],
])("a test file needs %s", (_, file, needs) => {
  expect(needsOfFiles(ROOT, [file])).toEqual(expect.arrayContaining(needs));
});

test("a test file without needs provides none", () => {
  expect(needsOfFiles(ROOT, ["src/jobs/scheduler.test.ts"])).toEqual([]);
});
