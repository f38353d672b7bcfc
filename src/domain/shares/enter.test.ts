import { beforeEach, expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { DomainError } from "../errors.ts";
import { STANDARD_RATES } from "../limits/rate-limit.ts";
import type { SharedHost } from "../model/share.ts";
import type { Store } from "../ports/store.ts";
import { enterByPassword } from "./enter.ts";

const NOW = 1000;

let store: Store;
let at: SharedHost;
let tried: (string | null)[];
let isBusy: boolean;

beforeEach(async () => {
  store = openMemoryStore();
  const ada = await addPerson(store, "ada");
  const { id: siteId } = await addSite(store, "demo", ada.id, true);
  at = { siteId, host: "demo.test", target: "" };
  tried = [];
  isBusy = false;
  for (let number = 1; number <= 6; number++) {
    const share = { id: `share${number}`, label: "client", kind: "password", target: "", secretHash: null } as const;
    await store.shares.add({ ...share, siteId, passwordHash: `${number}`, createdAt: number, expiresAt: 2 * NOW }, 50);
  }
});

const passwords = {
  async verify(password: string, hash: string | null) {
    if (isBusy) throw new DomainError("unavailable", "busy", { retryAfter: 2 });
    tried.push(hash);
    return password === hash;
  },
};

function guess(password: string, id: string | null = null) {
  const ports = { store, clock: { now: () => NOW }, secrets: systemSecrets, passwords, rates: STANDARD_RATES };
  return enterByPassword(ports, at, { password, id, address: "192.0.2.1" });
}

test("an attempt with the id of its share costs one hash", async () => {
  expect(await guess("wrong", "share1")).toBeNull();
  expect(tried).toEqual(["1"]);
  expect(await guess("1", "share1")).toStartWith("share-");
});

test("an attempt without an id costs at most four hashes, of the newest shares", async () => {
  expect(await guess("1")).toBeNull();
  expect(tried).toEqual(["6", "5", "4", "3"]);
  expect(await guess("3")).toStartWith("share-");
});

test("an attempt with an unknown id costs as much as one with a known one", async () => {
  expect(await guess("1", "unknown")).toBeNull();
  expect(tried).toEqual([null]);
});

test("the eleventh wrong attempt is refused without a hash, even with the right password", async () => {
  for (let attempt = 1; attempt <= 10; attempt++) expect(await guess("wrong", "share1")).toBeNull();
  tried = [];
  await expect(guess("1", "share1")).rejects.toMatchObject({ kind: "too_many_requests" });
  expect(tried).toEqual([]);
});

test("an attempt that could not be checked does not count as wrong", async () => {
  isBusy = true;
  for (let attempt = 1; attempt <= 20; attempt++) {
    await expect(guess("1", "share1")).rejects.toMatchObject({ kind: "unavailable" });
  }
  isBusy = false;
  expect(await guess("1", "share1")).toStartWith("share-");
});
