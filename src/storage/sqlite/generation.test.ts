import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { newGenerationCell, watchGeneration } from "./generation.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDatabase } from "./testing/temporary-store.ts";

let file: string;
const stores: Store[] = [];

beforeEach(() => {
  file = temporaryDatabase();
});
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

function open(cell = newGenerationCell()): Store {
  const store = openSqliteStore(file, cell);
  stores.push(store);
  return store;
}

/** Longer than the delay after which a change by another process is visible. */
const later = () => Bun.sleep(20);

test("a change of the routing is visible in every thread of the process at once, and counted once", async () => {
  const cell = newGenerationCell();
  const [one, other] = [open(cell), open(cell)];
  const before = other.generation();
  await one.sites.setPrivate(1, true);
  expect(other.generation()).toBe(before + 1);
  await later();
  expect(other.generation()).toBe(before + 1);
  expect(one.generation()).toBe(before + 1);
});

test("a change by another process is visible within a few milliseconds", async () => {
  const [server, command] = [open(), open()];
  const before = server.generation();
  await command.sites.setPrivate(1, true);
  await later();
  expect(server.generation()).toBe(before + 1);
});

test("a change is not missed because the first read of it failed", async () => {
  await open().sites.setPrivate(1, true);
  using raw = new Database(file);
  let isFailing = true;
  const prepare = (sql: string) => {
    const statement = raw.prepare(sql);
    const get = () => {
      if (isFailing && sql.startsWith("SELECT")) throw new Error("the disk fails");
      return statement.get();
    };
    return { get };
  };
  const generation = watchGeneration({ prepare } as unknown as Database, newGenerationCell());
  expect(generation).toThrow("the disk fails");
  isFailing = false;
  expect(generation()).toBe(open().generation());
});

test("other changes do not increment the generation", async () => {
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
