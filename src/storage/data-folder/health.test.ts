import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DomainError } from "../../domain/errors.ts";
import { dataFolder } from "../folder/data-folder.ts";
import { healthCheck } from "./health.ts";

let root: string;
let now = 0;
const store = { checkWritable: async () => {} };
const check = () => healthCheck(store, dataFolder(root).content, { now: () => now })();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "vitrine-health-"));
  mkdirSync(dataFolder(root).content);
  now = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

test("leaves no files in the content store and checks each time whether a file can be created", async () => {
  await check();
  expect(readdirSync(dataFolder(root).content)).toEqual([]);
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
