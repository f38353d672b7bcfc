import { afterEach, beforeEach, describe, expect, mock, spyOn, test } from "bun:test";
import { socketSender } from "../clients/webhooks/sender.ts";
import type { Store } from "../domain/ports/store.ts";
import type { WebhookSender } from "../domain/ports/webhooks.ts";
import { SECOND } from "../domain/timestamp.ts";
import { addPerson, addSite } from "../storage/contract/people.ts";
import { webhookOf } from "../storage/contract/records.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { FakeTimers } from "./testing/fake-timers.ts";
import { webhookDeliveriesJob } from "./webhook-deliveries.ts";

const T0 = Date.UTC(2026, 0, 1);
const happened = { type: "deployment.published", data: { site_name: "demo", deployment_number: 1 } } as const;

let store: Store;
let timers: FakeTimers;
let ending: AbortController;
const clock = { now: () => T0 + timers.elapsed() };

beforeEach(async () => {
  store = temporaryStore();
  timers = new FakeTimers();
  ending = new AbortController();
  // Signatures are computed on other threads, which may be late on a busy machine.
  spyOn(crypto.subtle, "importKey").mockResolvedValue({} as CryptoKey);
  spyOn(crypto.subtle, "sign").mockResolvedValue(new ArrayBuffer(32));
});
afterEach(() => {
  mock.restore();
});

/** Gives a user webhooks on two sites, each with many due deliveries. */
async function addReceivers(login: string, count: number, url: (id: string) => string, due = 1): Promise<string[]> {
  const { id: ownerId } = await addPerson(store, login);
  const sites = [
    await addSite(store, `${login}-1`, ownerId, false),
    await addSite(store, `${login}-2`, ownerId, false),
  ];
  const ids = Array.from({ length: count }, (_, n) => `${login}-${n}`);
  for (const [n, id] of ids.entries()) {
    await store.webhooks.add(webhookOf(sites[n % 2]!.id, { id, url: url(id), createdAt: T0 }), 99);
    for (let k = 0; k < due; k++) await store.webhooks.notify(id, happened, clock.now());
  }
  return ids;
}

function startJob(sender: WebhookSender): Promise<void> {
  const ports = {
    store,
    sender,
    operatorSender: sender,
    urls: { site: () => "", deployment: () => "", alias: () => "" },
    clock,
    timers,
    random: () => 0,
    log: { info() {}, warn() {}, error() {} },
  };
  return webhookDeliveriesJob(ports).run({ signal: ending.signal, lease: null, clockTrusted: true });
}

const latest = async (id: string) => (await store.webhooks.listDeliveries(id, { limit: 1, before: null }))[0];

/** Advances time until the newest delivery has ended. Returns its duration in seconds. */
async function secondsUntilDelivered(id: string, patience: number): Promise<number> {
  const start = timers.elapsed();
  while ((await latest(id))?.status !== "delivered") {
    if (timers.elapsed() - start > patience * SECOND) return Number.POSITIVE_INFINITY;
    await timers.pass(SECOND / 10);
  }
  return (timers.elapsed() - start) / SECOND;
}

test("forty receivers of one owner that do not respond leave a slot for another owner's delivery", async () => {
  const held: (() => void)[] = [];
  const slow = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Promise<Response>((resolve) => held.push(() => resolve(new Response(null, { status: 204 })))),
  });
  const quick = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 204 }) });
  await addReceivers("mallory", 40, () => `http://127.0.0.1:${slow.port}/`);
  const job = startJob(socketSender({ allowPrivate: true, userAgent: "Vitrine/test" }));
  while (held.length < 8) await timers.pass(SECOND / 10);
  await addReceivers("bob", 1, () => `http://127.0.0.1:${quick.port}/`);
  // The connection is real, so that real time passes in addition to the job's.
  expect(await secondsUntilDelivered("bob-0", 60)).toBeFinite();
  expect(held).toHaveLength(8);
  ending.abort();
  await job;
  await Promise.all([slow.stop(true), quick.stop(true)]);
});

/** The due deliveries of each slow receiver: more than it receives until the test ends. */
const BACKLOG = 3;

describe("the delivery of another owner waits no longer than a receiver may take", () => {
  /** The slow owners' receivers take 14 seconds, the others none. */
  const sender: WebhookSender = {
    refusal: () => null,
    async send({ url }) {
      if (url.includes("slow")) await timers.wait(14 * SECOND);
      return { statusCode: 204, error: null };
    },
  };
  const slow = (id: string) => `https://slow.example/${id}`;
  const quick = (id: string) => `https://quick.example/${id}`;

  test("beside one owner with forty slow receivers and a backlog for each", async () => {
    await addReceivers("mallory", 40, slow, BACKLOG);
    const job = startJob(sender);
    await timers.pass(SECOND);
    await addReceivers("bob", 1, quick);
    expect(await secondsUntilDelivered("bob-0", 300)).toBeLessThan(3);
    ending.abort();
    await timers.pass(20 * SECOND);
    await job;
  });

  test("beside six such owners, and only a second or two once their receivers are known to be slow", async () => {
    for (let n = 0; n < 6; n++) await addReceivers(`mallory-${n}`, 20, slow, BACKLOG);
    const job = startJob(sender);
    await timers.pass(SECOND);
    await addReceivers("bob", 1, quick);
    expect(await secondsUntilDelivered("bob-0", 300)).toBeLessThan(15);
    // Until each of the 60 receivers has had its turn.
    await timers.pass(60 * SECOND);
    await addReceivers("carol", 1, quick);
    expect(await secondsUntilDelivered("carol-0", 300)).toBeLessThan(3);
    ending.abort();
    await timers.pass(20 * SECOND);
    await job;
  });
});
