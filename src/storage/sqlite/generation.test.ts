import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../domain/ports/store.ts";
import { newGenerationCell } from "./generation.ts";
import { migrate } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let file: string;
const stores: Store[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-generation-"));
  file = join(folder, "vitrine.db");
  await migrate(file);
});
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

function open(cell = newGenerationCell()): Store {
  const store = openSqliteStore(file, cell);
  stores.push(store);
  return store;
}

/** Longer than a change of another process may go unseen. */
const later = () => Bun.sleep(20);

test("a change of what visitors get is seen at once by every thread of the process, and counted once", async () => {
  const cell = newGenerationCell();
  const [one, other] = [open(cell), open(cell)];
  const before = other.generation();
  await one.sites.setPrivate(1, true);
  expect(other.generation()).toBe(before + 1);
  await later();
  expect(other.generation()).toBe(before + 1);
  expect(one.generation()).toBe(before + 1);
});

test("a change that another process makes is seen within a few milliseconds", async () => {
  const [server, command] = [open(), open()];
  const before = server.generation();
  await command.sites.setPrivate(1, true);
  await later();
  expect(server.generation()).toBe(before + 1);
});

test("a change of anything else leaves the generation as it is", async () => {
  const cell = newGenerationCell();
  const [one, other] = [open(cell), open(cell)];
  const before = other.generation();
  await one.users.add({
    provider: "local",
    subject: "1",
    login: "ada",
    name: null,
    avatarUrl: null,
    mayOwn: true,
    passwordHash: null,
    createdAt: 0,
  });
  await later();
  expect(other.generation()).toBe(before);
});
