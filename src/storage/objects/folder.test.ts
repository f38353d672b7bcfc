import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { objectContract } from "./contract.ts";
import { folderObjects } from "./folder.ts";

const home = temporaryFolder();

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe("objects in a folder", () =>
  objectContract(async () => {
    const store = folderObjects(temporaryFolder());
    await store.prepare();
    return store;
  }));

test("the folder is created, but not its parent, whose disk may not be mounted", async () => {
  await folderObjects(join(home, "made")).prepare();
  expect(existsSync(join(home, "made"))).toBe(true);
  const away = join(home, "away", "backups");
  await expect(folderObjects(away).prepare()).rejects.toThrow(
    `the folder ${away} cannot be used: there is no folder ${join(home, "away")}: create it, or mount its disk`,
  );
});

test("a file in its place is reported", async () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  await expect(folderObjects(file).prepare()).rejects.toThrow(`the folder ${file} cannot be used`);
});

test("an interrupted write is never listed, and the next preparation removes it", async () => {
  const root = join(home, "interrupted");
  const store = folderObjects(root);
  await store.prepare();
  writeFileSync(join(root, "unfinished", "half"), "");
  expect(await Array.fromAsync(store.list(""))).toEqual([]);
  await store.prepare();
  expect(readdirSync(join(root, "unfinished"))).toEqual([]);
});

test("a folder is removed with its last object, unless it has foreign files", async () => {
  const root = join(home, "emptied");
  const store = folderObjects(root);
  await store.prepare();
  for (const name of ["a/1", "b/1"]) await store.write(name, chunk("1"));
  mkdirSync(join(root, "b", "theirs"));
  for (const name of ["a/1", "b/1"]) await store.delete(name);
  expect(readdirSync(root).sort()).toEqual(["b", "unfinished"]);
});

test("an object can be read again after its disk returns", async () => {
  const root = join(home, "comes-back");
  const store = folderObjects(root);
  expect(await Array.fromAsync(store.list(""))).toEqual([]);
  expect(await store.read("a")).toBeNull();
  await store.delete("a");
  await store.prepare();
  await store.write("a", chunk("1"));
  chmodSync(root, 0o700);
  expect(await Array.fromAsync(store.list(""))).toEqual([{ name: "a", size: 1 }]);
});
