import { beforeEach, describe, expect, test } from "bun:test";
import type { Delivery, Webhook } from "../domain/model/webhook.ts";
import type { Store } from "../domain/ports/store.ts";
import type { WebhookResponse, WebhookSender } from "../domain/ports/webhooks.ts";
import { DAY, HOUR, SECOND } from "../domain/timestamp.ts";
import { addPerson, addSite } from "../storage/contract/people.ts";
import { webhookOf } from "../storage/contract/records.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { FakeTimers } from "./testing/fake-timers.ts";
import { webhookDeliveriesJob } from "./webhook-deliveries.ts";
import { webhookRetentionJob } from "./webhook-retention.ts";

const T0 = Date.UTC(2026, 0, 1);
const happened = { type: "deployment.published", data: { site_name: "demo", deployment_number: 1 } } as const;

let store: Store;
let siteId: number;
let timers: FakeTimers;
let now: number;
/** The responses of the receivers, by the path of their address. */
let responses: Record<string, () => Promise<WebhookResponse>>;
let sent: string[];
let ending: AbortController;

beforeEach(async () => {
  store = temporaryStore();
  siteId = (await addSite(store, "demo", (await addPerson(store, "ada")).id, false)).id;
  timers = new FakeTimers();
  ending = new AbortController();
  [now, responses, sent] = [T0, {}, []];
});
const status = (statusCode: number) => async () => ({ statusCode, error: null });

async function listen(id: string): Promise<void> {
  await store.webhooks.add(webhookOf(siteId, { id, url: `https://a.example/${id}`, createdAt: T0 }), 99);
}

function run(name: "webhook-deliveries" | "webhook-retention", clockTrusted = true): Promise<void> {
  const sender: WebhookSender = {
    refusal: () => null,
    async send({ url }, signal) {
      const path = new URL(url).pathname.slice(1);
      sent.push(path);
      const stopped = new Promise<WebhookResponse>((resolve) =>
        signal.addEventListener("abort", () => resolve({ statusCode: null, error: "stopped" })),
      );
      return Promise.race([responses[path]?.() ?? status(204)(), stopped]);
    },
  };
  const ports = {
    store,
    sender,
    operatorSender: sender,
    urls: { site: () => "", deployment: () => "", alias: () => "" },
    clock: { now: () => now },
    timers,
    random: () => 0,
    log: { info() {}, warn() {}, error() {} },
  };
  const jobs = [webhookDeliveriesJob(ports), webhookRetentionJob(store, ports.clock)];
  return jobs.find((job) => job.name === name)!.run({ signal: ending.signal, lease: null, clockTrusted });
}
const deliver = (clockTrusted = true) => run("webhook-deliveries", clockTrusted);
const deliveries = (id: string) => store.webhooks.listDeliveries(id, { limit: 99, before: null });
const webhook = async (id: string) => (await store.webhooks.find(siteId, id)) as Webhook;

/** Runs the job while something is due, until nothing is or `end` is reached. */
async function deliverUntil(end: number): Promise<Delivery> {
  for (;;) {
    await deliver();
    const [latest] = await deliveries("a");
    if (latest?.nextAttemptAt == null || latest.nextAttemptAt > end) return latest as Delivery;
    now = latest.nextAttemptAt;
  }
}

/** Signatures are computed on another thread, so time advances until they are ready. */
async function delivered(id: string): Promise<void> {
  while ((await deliveries(id))[0]?.status !== "delivered") await timers.pass(SECOND / 10);
}

describe("deliveries", () => {
  test("end after ten attempts, three days later", async () => {
    await listen("a");
    responses.a = status(500);
    await store.webhooks.notify("a", happened, now);
    expect(await deliverUntil(T0 + 9 * DAY)).toMatchObject({ status: "failed", attempts: 10 });
    expect(now - T0).toBe(75 * HOUR + 35 * 60 * SECOND + 5 * SECOND);
    expect((await webhook("a")).disabledAt).toBeNull();
  });

  test("that fail for five days disable their webhook, except while the clock is not trusted", async () => {
    await listen("a");
    responses.a = status(500);
    await store.webhooks.notify("a", happened, now);
    await deliverUntil(T0 + 9 * DAY);
    now = T0 + 5 * DAY;
    await store.webhooks.notify("a", happened, now);
    await deliverUntil(now + HOUR);
    expect((await webhook("a")).disabledAt).toBeNull();
    for (const hours of [3, 9]) {
      now = T0 + 5 * DAY + hours * HOUR;
      await deliver(false);
    }
    expect((await webhook("a")).disabledAt).toBeNull();
    now += DAY;
    await deliver();
    expect(await webhook("a")).toMatchObject({ disabledAt: now, disabledReason: "every attempt failed for five days" });
    expect((await deliveries("a"))[0]).toMatchObject({ status: "failed", nextAttemptAt: null });
  });

  test("of one webhook are sent one after the other, in the order of the events", async () => {
    await listen("a");
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push((await store.webhooks.notify("a", happened, now)).id);
    let underWay = 0;
    responses.a = async () => {
      expect(++underWay).toBe(1);
      await Promise.resolve();
      underWay--;
      return { statusCode: 200, error: null };
    };
    await deliver();
    expect((await deliveries("a")).map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"]);
  });

  test("to a receiver that hangs delay neither others nor later events", async () => {
    for (const id of ["a", "b", "c"]) await listen(id);
    const hanging = Promise.withResolvers<WebhookResponse>();
    responses.a = () => hanging.promise;
    for (const id of ["a", "b"]) await store.webhooks.notify(id, happened, now);
    const job = deliver();
    await delivered("b");
    await store.webhooks.notify("c", happened, now);
    await delivered("c");
    hanging.resolve({ statusCode: null, error: "no response in time" });
    await job;
    expect((await deliveries("a"))[0]).toMatchObject({ status: "pending", error: "no response in time" });
    expect(sent.sort()).toEqual(["a", "b", "c"]);
  });

  test("that are aborted by a stop stay due and do not count as failures", async () => {
    await listen("a");
    responses.a = () => new Promise(() => {});
    await store.webhooks.notify("a", happened, now);
    const job = deliver();
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    ending.abort();
    await job;
    expect((await deliveries("a"))[0]).toMatchObject({ status: "pending", attempts: 0, nextAttemptAt: T0 });
    ending = new AbortController();
    responses.a = status(200);
    await deliver();
    expect((await deliveries("a"))[0]).toMatchObject({ status: "delivered", attempts: 1 });
  });

  test("are deleted after thirty days, but not while the clock is not trusted", async () => {
    await listen("a");
    await store.webhooks.notify("a", happened, now);
    await deliver();
    now = T0 + 31 * DAY;
    await run("webhook-retention", false);
    expect(await deliveries("a")).toHaveLength(1);
    await run("webhook-retention");
    expect(await deliveries("a")).toEqual([]);
  });
});
