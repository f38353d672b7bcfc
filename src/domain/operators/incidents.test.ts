import { beforeEach, expect, test } from "bun:test";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { OPERATOR_WEBHOOK } from "../model/webhook.ts";
import type { Store } from "../ports/store.ts";
import { type FreeSpace, isDiskLow, watchDisk, watchIncidents } from "./incidents.ts";

const GIB = 1024 ** 3;
const PLENTY: FreeSpace = { total: 100 * GIB, free: 50 * GIB, reserve: 0.2 * GIB };

let store: Store;
let space: FreeSpace;
beforeEach(async () => {
  store = temporaryStore();
  space = PLENTY;
  await store.webhooks.keepOperators({ url: "https://a.example/", secret: "whsec_AAAA" }, 0);
});

const ports = () => ({ store, clock: { now: () => 1000 }, server: "https://pages.example.org" });
const watch = () => watchIncidents(ports());
const watchOn = (node: string | null) => watchDisk({ ...ports(), space: () => space, node });
const events = async () =>
  (await store.webhooks.listDeliveries(OPERATOR_WEBHOOK, { limit: 9, before: null })).map(({ event }) => event);

test.each<[string, Partial<FreeSpace>, boolean, boolean]>([
  ["enough", {}, false, false],
  ["less than 2 GiB of a large disk", { free: 1.9 * GIB }, false, true],
  ["a tenth of a small disk", { total: 4 * GIB, free: 0.5 * GIB }, false, false],
  ["less than a tenth of a small disk", { total: 4 * GIB, free: 0.3 * GIB }, false, true],
  ["no more than the reserve", { total: 1 * GIB, free: 0.15 * GIB, reserve: 0.2 * GIB }, false, true],
  ["a little more, if it was low", { free: 2.1 * GIB }, true, true],
  ["a little more, if it was not", { free: 2.1 * GIB }, false, false],
  ["enough again", { free: 2.5 * GIB }, true, false],
])("%s is free", (_, change, wasLow, low) => {
  expect(isDiskLow({ ...PLENTY, ...change }, wasLow)).toBe(low);
});

test("without an incident there is no event", async () => {
  expect([await watch(), await watchOn(null)]).toEqual([[], []]);
  expect(await events()).toEqual([]);
});

test("a disk that is nearly full is reported once, and again after it was not", async () => {
  space = { ...PLENTY, free: GIB };
  expect([await watchOn(null), await watch(), await watchOn(null)]).toEqual([["disk"], [], []]);
  const data = { server: "https://pages.example.org", free_bytes: GIB, total_bytes: 100 * GIB };
  const [event] = await events();
  expect(event).toMatchObject({ type: "disk.low", at: 1000 });
  expect(event?.data).toEqual(data);
  space = PLENTY;
  await watchOn(null);
  space = { ...PLENTY, free: GIB };
  expect(await watchOn(null)).toEqual(["disk"]);
});

test("each node reports its own disk, and no other node ends that", async () => {
  space = { ...PLENTY, free: GIB };
  expect(await watchOn("two")).toEqual(["disk:two"]);
  expect((await events())[0]?.data).toMatchObject({ node: "two", free_bytes: GIB });
  space = PLENTY;
  expect([await watchOn("one"), await watch()]).toEqual([[], []]);
  space = { ...PLENTY, free: GIB };
  expect([await watchOn("two"), await watchOn("one")]).toEqual([[], ["disk:one"]]);
  space = PLENTY;
  await watchOn("two");
  expect(await store.incidents.listNames()).toEqual(["disk:one"]);
});

test("a failing backup is reported once, whatever its attempts, until one is complete", async () => {
  const id = (await store.backups.begin({ id: "a", place: "s3://b", at: 1 })) as string;
  await store.backups.change(id, { attempts: 1 });
  expect(await watch()).toEqual([]);
  await store.backups.change(id, { state: "failed", error: "connection refused" });
  expect(await watch()).toEqual(["backup"]);
  await store.backups.change(id, { state: "running", attempts: 2 });
  await watch();
  await store.backups.change(id, { state: "failed" });
  expect(await watch()).toEqual([]);
  const data = { backup_id: "a", target: "s3://b", error: "connection refused", attempts: 1 };
  expect(await events()).toMatchObject([{ type: "backup.failed", data }]);
  await store.backups.change(id, { state: "done" });
  await watch();
  expect(await store.incidents.listNames()).toEqual([]);
});

test("a failing certificate is reported from its third failure on, including the server's own", async () => {
  const identifiers = ["pages.example.org"];
  const wanted = { subject: "pages.example.org", identifiers, challenge: "http-01", origin: "server" } as const;
  await store.certificates.want(wanted as never);
  const attempts = (failures: number) =>
    store.certificates.saveProgress("pages.example.org", {
      attempts: { failures, error: "refused", lastAt: 5, nextAt: 9 },
    } as never);
  await attempts(2);
  expect(await watch()).toEqual([]);
  await attempts(3);
  expect(await watch()).toEqual(["certificate:pages.example.org"]);
  const data = { hostname: "pages.example.org", error: "refused", issuer: null, not_after: null };
  expect(await events()).toMatchObject([{ type: "certificate.failing", data }]);
});
