import { expect, test } from "bun:test";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { acquireLock, shareLock } from "./lock.ts";

const folder = temporaryFolder();

test("one owner at a time has the lock, also after it was released, in a single file", () => {
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

test("several can share it while nobody has it exclusively, without changing the file", () => {
  const file = join(folder, "shared.lock");
  const alone = acquireLock(file);
  expect(shareLock(file)).toBeNull();
  alone?.();
  chmodSync(file, 0o400);
  const shares = [shareLock(file), shareLock(file)];
  expect(shares).not.toContain(null);
  chmodSync(file, 0o600);
  expect(acquireLock(file)).toBeNull();
  for (const release of shares) release?.();
  acquireLock(file)?.();
  expect(readdirSync(folder)).not.toContain("shared.lock-journal");
});
