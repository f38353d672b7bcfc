import { beforeEach, expect, test } from "bun:test";
import { readdirSync, rmSync, watch } from "node:fs";
import { DomainError } from "../../domain/errors.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { dataFolder } from "../folder/data-folder.ts";
import { healthCheck } from "./health.ts";

let root: string;
let now = 0;
const store = { checkWritable: async () => {} };
const check = () => healthCheck(store, dataFolder(root).content, { now: () => now })();

beforeEach(() => {
  root = temporaryFolder();
  openFilesystemContent(dataFolder(root).content);
  now = 0;
});

test("leaves no files in the content store and checks each time whether a file can be created", async () => {
  const { content } = dataFolder(root);
  const before = readdirSync(content, { recursive: true });
  await check();
  expect(readdirSync(content, { recursive: true })).toEqual(before);
});

test("its file is among the unfinished ones, of which leftovers of a crash are removed", async () => {
  const created = Promise.withResolvers<string | null>();
  const watcher = watch(dataFolder(root).content, { recursive: true }, (_, file) => created.resolve(file));
  await check();
  expect(await created.promise).toStartWith("staging/writable-");
  watcher.close();
});

test("reports that the content store cannot be written, without its path", async () => {
  rmSync(dataFolder(root).content, { recursive: true });
  const error = await check().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DomainError);
  expect((error as DomainError).detail).toBe("the content store cannot be written: ENOENT");
});

test("checks again after a second", async () => {
  const healthy = healthCheck(store, dataFolder(root).content, { now: () => now });
  await healthy();
  rmSync(dataFolder(root).content, { recursive: true });
  now = 999;
  await healthy();
  now = 1000;
  expect(healthy()).rejects.toThrow();
});
