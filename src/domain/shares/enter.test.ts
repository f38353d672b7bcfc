import { beforeEach, expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { DomainError } from "../errors.ts";
import { STANDARD_RATES } from "../limits/rate-limit.ts";
import type { SharedHost } from "../model/share.ts";
import type { Store } from "../ports/store.ts";
import { DAY, MINUTE } from "../timestamp.ts";
import { newSecret } from "../tokens/secret.ts";
import { admitsAutomation, enterByLink, enterByPassword, passwordTurns } from "./enter.ts";

const NOW = 1000;
const SECRET = newSecret(systemSecrets, "vtv");

let store: Store;
let at: SharedHost;
let tried: (string | null)[];
let isBusy: boolean;

beforeEach(async () => {
  store = temporaryStore();
  const ada = await addPerson(store, "ada");
  const { id: siteId } = await addSite(store, "demo", ada.id, true);
  at = { siteId, host: "demo.test", target: "" };
  tried = [];
  isBusy = false;
  for (let number = 1; number <= 6; number++) {
    const share = { id: `share${number}`, label: "client", kind: "password", target: "", secretHash: null } as const;
    await store.shares.add({ ...share, siteId, passwordHash: `${number}`, createdAt: number, expiresAt: 2 * NOW }, 50);
  }
  const link = { id: "link", label: "client", kind: "link", target: "", passwordHash: null } as const;
  const secretHash = systemSecrets.sha256(SECRET);
  await store.shares.add({ ...link, siteId, secretHash, createdAt: 0, expiresAt: 2 * NOW }, 50);
});

const passwords = {
  async verify(password: string, hash: string | null) {
    if (isBusy) throw new DomainError("unavailable", "busy", { retryAfter: 2 });
    tried.push(hash);
    return password === hash;
  },
};

function ports() {
  const clock = { now: () => NOW };
  return { store, clock, secrets: systemSecrets, passwords, passwordTurns: passwordTurns(), rates: STANDARD_RATES };
}

function guess(password: string, id: string | null = null, { address = "192.0.2.1", host = at, given = ports() } = {}) {
  return enterByPassword(given, host, { password, id, address });
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

test("after 20 right passwords, an address is refused at this site without a hash", async () => {
  for (let entry = 1; entry <= 20; entry++) expect(await guess("1", "share1")).toStartWith("share-");
  tried = [];
  await expect(guess("1", "share1")).rejects.toMatchObject({ kind: "too_many_requests" });
  expect(tried).toEqual([]);
  expect(await guess("1", "share1", { address: "192.0.2.2" })).toStartWith("share-");
});

test("after 300 entries by link, an address is refused at this site", async () => {
  const enter = (address: string) => enterByLink(ports(), at, { secret: SECRET, address });
  for (let entry = 1; entry <= 300; entry++) expect(await enter("192.0.2.1")).toStartWith("share-");
  await expect(enter("192.0.2.1")).rejects.toMatchObject({ kind: "too_many_requests" });
  expect(await enter("192.0.2.2")).toStartWith("share-");
});

test("a flood of right passwords at one site delays a visitor of another site by one check", async () => {
  const other = { ...at, siteId: (await addSite(store, "other", (await addPerson(store, "bob")).id, true)).id };
  const share = { id: "other", label: "client", kind: "password", target: "", secretHash: null } as const;
  await store.shares.add({ ...share, siteId: other.siteId, passwordHash: "2", createdAt: 0, expiresAt: 2 * NOW }, 50);
  const checks: (() => void)[] = [];
  const begun: string[] = [];
  const verify = (password: string) => {
    begun.push(password);
    return new Promise<boolean>((resolve) => checks.push(() => resolve(true)));
  };
  const given = { ...ports(), passwords: { verify } };
  const settle = () => new Promise(setImmediate);
  const flood = Array.from({ length: 10 }, (_, n) => guess("1", "share1", { address: `192.0.2.${n}`, given }));
  const outcomes = Promise.allSettled(flood);
  await settle();
  const visitor = guess("2", "other", { host: other, given });
  await settle();
  for (let check = 0; check < 4; check++) {
    checks.shift()?.();
    await settle();
  }
  expect(begun).toEqual(["1", "1", "2", "1"]);
  expect(await visitor).toStartWith("share-");
  const refused = (await outcomes).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(7);
  expect(refused[0]).toMatchObject({ reason: { kind: "unavailable", extra: { retryAfter: 2 } } });
});

test("the use of a share for scripts is recorded at most once a minute", async () => {
  const secret = newSecret(systemSecrets, "vtv");
  const share = { id: "script", label: "ci", kind: "automation", target: "", passwordHash: null } as const;
  const secretHash = systemSecrets.sha256(secret);
  await store.shares.add({ ...share, siteId: at.siteId, secretHash, createdAt: 0, expiresAt: DAY }, 50);
  const usedAt = async (now: number) => {
    expect(await admitsAutomation({ ...ports(), clock: { now: () => now } }, at, secret)).toBe(true);
    const shares = await store.shares.listOfSite(at.siteId);
    return shares.find(({ id }) => id === "script")?.lastUsedAt;
  };
  const uses = [NOW + MINUTE, NOW + 2 * MINUTE - 1, NOW + 2 * MINUTE];
  expect([await usedAt(uses[0]!), await usedAt(uses[1]!), await usedAt(uses[2]!)]).toEqual([uses[0], uses[0], uses[2]]);
});
