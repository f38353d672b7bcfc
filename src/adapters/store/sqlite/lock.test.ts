import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock } from "./lock.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("one has it at a time, also once it was given back, and it is one file", () => {
  const file = join(folder, "vitrine.lock");
  const release = acquireLock(file);
  expect(release).not.toBeNull();
  expect(acquireLock(file)).toBeNull();
  expect(readdirSync(folder)).toEqual(["vitrine.lock"]);
  release?.();
  const again = acquireLock(file);
  expect(again).not.toBeNull();
  again?.();
});
