import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { WebhookDeliveryResponse, WebhookResponse, WebhookSecretResponse } from "../api/schemas/webhooks.ts";
import { openTestApi } from "../api/testing/test-api.ts";
import type { EventType } from "../domain/model/events.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { deploy, scratchFolder, signUp, startProcess } from "./testing/executable.ts";
import { type Receiver, startReceiver, verify } from "./testing/receiver.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Webhook = typeof WebhookResponse.static;
type WithSecret = typeof WebhookSecretResponse.static;
type Delivery = typeof WebhookDeliveryResponse.static;

let vitrine: TestServer;
let receiver: Receiver;
let token: string;
let archive: Uint8Array;
const site = "demo";
let active = 2;

beforeAll(async () => {
  vitrine = await startTestServer({ "allow-private-webhooks": "on", "metrics-listen": "127.0.0.1:0" });
  token = (await vitrine.signUp("ada")).token;
  archive = await zipOf({ "index.html": "hello" });
  for (const _ of [1, 2]) await vitrine.deploy(token, archive, { site });
});
afterAll(() => vitrine?.[Symbol.asyncDispose]());

beforeEach(() => {
  receiver = startReceiver();
});
afterEach(async () => {
  for (const { id } of await json<Webhook[]>("GET", `/sites/${site}/webhooks`)) await remove(id);
  await receiver.stop();
});

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await vitrine.call(method, path, { token, json: body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
const remove = (id: string) => vitrine.call("DELETE", `/sites/${site}/webhooks/${id}`, { token });
/** Activates the first two deployments by turns, so that each time there is an event. */
function activate(): Promise<unknown> {
  active = 3 - active;
  return json("POST", `/sites/${site}/deployments/${active}/activate`);
}
/** Without `report.ready`, which arrives some time after each deployment. */
const EVENTS: readonly EventType[] = ["deployment.published", "deployment.activated", "site.deleted"];
const add = (more: object = {}) =>
  json<WithSecret>("POST", `/sites/${site}/webhooks`, { url: receiver.url, events: EVENTS, ...more });
const show = ({ id }: Webhook) => json<Webhook>("GET", `/sites/${site}/webhooks/${id}`);
const ping = ({ id }: Webhook) => json<Delivery>("POST", `/sites/${site}/webhooks/${id}/test`);
const deliveries = ({ id }: Webhook, query = "") =>
  json<Delivery[]>("GET", `/sites/${site}/webhooks/${id}/deliveries${query}`);

/** Waits until the newest delivery matches. The job runs every second. */
async function settled(webhook: Webhook, wanted: (delivery: Delivery) => boolean): Promise<Delivery> {
  for (let look = 0; look < 4000; look++) {
    const [newest] = await deliveries(webhook, "?limit=1");
    if (newest && wanted(newest)) return newest;
    await Bun.sleep(25);
  }
  throw new Error(`it never happened: ${JSON.stringify(await deliveries(webhook), null, 1)}`);
}

describe("a deployment", () => {
  test("arrives at the receiver with a valid signature", async () => {
    const webhook = await add();
    const deployed = await vitrine.deploy(token, archive, { site });
    const { deployment_number } = (await deployed.json()) as { deployment_number: number };
    const [got] = await receiver.until(1);
    const body = verify(webhook.secret, got!, vitrine.clock.now());
    expect(body).toEqual({
      type: "deployment.published",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        site_name: site,
        deployment_number,
        source: "session",
        actor: "ada",
        created_at: expect.any(String),
        file_count: 1,
        size_bytes: 5,
        warning_count: 0,
        url: vitrine.siteUrl(`${deployment_number}--${site}`),
        site_url: vitrine.siteUrl(site),
      },
    });
    const delivered = await settled(webhook, ({ status }) => status === "delivered");
    expect(delivered).toMatchObject({
      event_type: "deployment.published",
      event_id: got?.headers["webhook-id"],
      attempts: 1,
      status_code: 204,
      error: null,
      next_attempt_at: null,
      duration_ms: expect.any(Number),
      data: { deployment_number },
    });
  });

  needing("openssl").test("passes the check in the documentation, and a forged one does not", async () => {
    const webhook = await add();
    await ping(webhook);
    const [got] = await receiver.until(1);
    const page = await Bun.file(join(import.meta.dir, "../../docs/webhooks.md")).text();
    const [, script = ""] = /```sh\n(.*?)```/s.exec(page) ?? [];
    using folder = scratchFolder();
    const check = async (body: string) => {
      await Bun.write(join(folder.path, "body.json"), body);
      const env = {
        ...process.env,
        WEBHOOK_SECRET: webhook.secret,
        webhook_id: got?.headers["webhook-id"],
        webhook_timestamp: got?.headers["webhook-timestamp"],
        webhook_signature: got?.headers["webhook-signature"],
      };
      const { stdout } = Bun.spawn(["sh", "-c", script], { cwd: folder.path, env });
      return new Response(stdout).text();
    };
    expect(await check(got?.body ?? "")).toBe("good\n");
    expect(await check(`${got?.body} `)).toBe("forged\n");
  });

  test("that is activated and a deleted site are sent too, and other events are not", async () => {
    const path = "/sites/short-lived";
    await vitrine.deploy(token, archive, { site: "short-lived" });
    const events = ["deployment.activated", "site.deleted"];
    await json("POST", `${path}/webhooks`, { url: receiver.url, events });
    await vitrine.deploy(token, archive, { site: "short-lived" });
    await vitrine.call("POST", `${path}/deployments/1/activate`, { token });
    await vitrine.call("DELETE", path, { token });
    const got = await receiver.until(2);
    expect(got.map(({ event }) => event.type)).toEqual(["deployment.activated", "site.deleted"]);
  });

  test("arrives once the receiver works again, with the same id", async () => {
    const webhook = await add();
    receiver.respond = () => new Response("stack trace", { status: 500 });
    await activate();
    // The second attempt follows after five seconds, the third one after five minutes.
    const first = await settled(webhook, ({ attempts }) => attempts >= 1);
    expect(first).toMatchObject({ status: "pending", status_code: 500, error: "responded with 500" });
    expect(JSON.stringify(first)).not.toContain("stack trace");
    expect((await show(webhook)).failing_since).not.toBeNull();

    vitrine.advance(6000);
    await settled(webhook, ({ attempts }) => attempts >= 2);
    receiver.respond = () => new Response("thanks");
    vitrine.advance(6 * MINUTE);
    const third = await settled(webhook, ({ status }) => status === "delivered");
    expect(third).toMatchObject({ attempts: 3, status_code: 200 });
    expect((await show(webhook)).failing_since).toBeNull();
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const got of receiver.received) verify(webhook.secret, got, Number(got.headers["webhook-timestamp"]) * 1000);
  });
});

describe("a receiver", () => {
  test("that responds with 410 gets nothing until the owner enables it again", async () => {
    const webhook = await add();
    receiver.respond = () => new Response(null, { status: 410 });
    await activate();
    await settled(webhook, ({ status }) => status === "failed");
    expect(await show(webhook)).toMatchObject({
      enabled: false,
      disabled_reason: "the receiver responded with 410 Gone",
    });
    await activate();
    expect(await deliveries(webhook)).toHaveLength(1);
    const refused = await vitrine.call("POST", `/sites/${site}/webhooks/${webhook.id}/test`, { token });
    expect(refused.status).toBe(409);

    receiver.respond = () => new Response(null, { status: 204 });
    await json("PATCH", `/sites/${site}/webhooks/${webhook.id}`, { enabled: true });
    const [lost] = await deliveries(webhook);
    await json("POST", `/sites/${site}/webhooks/${webhook.id}/deliveries/${lost?.id}/retry`);
    expect(await settled(webhook, ({ status }) => status === "delivered")).toMatchObject({ id: lost?.id, attempts: 2 });
  });
});

describe("a secret", () => {
  test("is shown at creation and rotation only", async () => {
    const webhook = await add();
    expect(webhook.secret).toMatch(/^whsec_/);
    const path = `/sites/${site}/webhooks/${webhook.id}`;
    const shown = JSON.stringify([await show(webhook), await json("GET", `/sites/${site}/webhooks`)]);
    expect(shown).not.toContain("whsec_");
    const rotated = await json<WithSecret>("POST", `${path}/rotate`);
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(Date.parse(rotated.previous_secret_until ?? "") - vitrine.clock.now()).toBeGreaterThan(DAY - MINUTE);

    await ping(webhook);
    const [got] = await receiver.until(1);
    for (const { secret } of [webhook, rotated]) verify(secret, got!, vitrine.clock.now());
    vitrine.advance(DAY);
    await ping(webhook);
    const [, later] = await receiver.until(2);
    verify(rotated.secret, later!, vitrine.clock.now());
    expect(() => verify(webhook.secret, later!, vitrine.clock.now())).toThrow("No matching signature");
  });
});

describe("a webhook", () => {
  test.each([
    [{}, "url"],
    [{ url: "" }, "url"],
    [{ url: "hooks.example.org" }, "url"],
    [{ url: "ftp://hooks.example.org/" }, "url"],
    [{ url: "https://user:secret@hooks.example.org/" }, "url"],
    [{ url: `https://hooks.example.org/${"x".repeat(2000)}` }, "url"],
    [{ url: "https://hooks.example.org/", events: [] }, "events"],
    [{ url: "https://hooks.example.org/", events: ["ping"] }, "events"],
    [{ url: "https://hooks.example.org/", events: ["deployment.published", "x"] }, "events"],
    [{ url: "https://hooks.example.org/", events: "deployment.published" }, "events"],
  ])("%j is 422 and names the field", async (body, field) => {
    const response = await vitrine.call("POST", `/sites/${site}/webhooks`, { token, json: body });
    expect(response.status).toBe(422);
    const { detail } = (await response.json()) as { detail: { loc: string[] }[] };
    expect(detail[0]?.loc.slice(0, 2)).toEqual(["body", field]);
  });

  test("is changed in parts, disabled and on, and removed", async () => {
    const webhook = await add({ events: ["deployment.published"] });
    const path = `/sites/${site}/webhooks/${webhook.id}`;
    expect(await json<Webhook>("PATCH", path, { events: null })).toMatchObject({ events: null, url: receiver.url });
    const off = await json<Webhook>("PATCH", path, { enabled: false });
    expect(off).toMatchObject({ enabled: false, disabled_reason: "disabled by its owner" });
    await activate();
    // The report of an earlier deployment may have been ready before.
    const types = (await deliveries(webhook)).map(({ event_type }) => event_type);
    expect(types).not.toContain("deployment.activated");
    expect(await json<Webhook>("PATCH", path, { enabled: true })).toMatchObject({ enabled: true, disabled_at: null });
    expect((await vitrine.call("DELETE", path, { token })).status).toBe(204);
    expect((await vitrine.call("GET", path, { token })).status).toBe(404);
  });

  test("is limited to twenty", async () => {
    for (let count = 0; count < 20; count++) await add();
    const response = await vitrine.call("POST", `/sites/${site}/webhooks`, { token, json: { url: receiver.url } });
    expect(response.status).toBe(409);
  });

  test("is counted in the metrics", async () => {
    await ping(await add());
    await receiver.until(1);
    const text = await (await fetch(`http://127.0.0.1:${vitrine.metricsPort}/metrics`)).text();
    expect(text).toMatch(/^vitrine_webhooks\{state="active"\} \d+$/m);
    expect(text).toMatch(/^vitrine_webhook_deliveries\{status="delivered"\} \d+$/m);
    expect(text).toMatch(/^vitrine_webhook_oldest_pending_seconds [\d.e+-]+$/m);
  });
});

test("a private address is refused unless the operator allows it", async () => {
  await using guarded = await openTestApi();
  const { token: ada } = await guarded.signUp("ada");
  await guarded.deploy(ada, archive, { site });
  const response = await guarded.call("POST", `/sites/${site}/webhooks`, { token: ada, json: { url: receiver.url } });
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("--allow-private-webhooks")]);
});

test("a confirmed deployment is delivered even if the program is killed at once", async () => {
  using folder = scratchFolder();
  const ada = await signUp(folder.path, "ada");
  const flags = ["--allow-private-webhooks", "on", "--log", "json", "--workers", "1"];
  let server = await startProcess(folder.path, flags);
  await deploy(server, ada, "demo", archive);
  const headers = { Authorization: `Bearer ${ada}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ url: receiver.url, events: EVENTS });
  const response = await server.fetch("/sites/demo/webhooks", { method: "POST", headers, body });
  const { secret } = (await response.json()) as WithSecret;

  const deployed = (await (await deploy(server, ada, "demo", archive)).json()) as { deployment_number: number };
  await server.end("SIGKILL");
  expect(server.said()).not.toContain(secret);
  server = await startProcess(folder.path, flags);
  await receiver.until(1);
  // An attempt that the kill interrupted is repeated, so the event may arrive twice.
  const { deployment_number } = deployed;
  for (const { event } of receiver.received) expect(event.data).toMatchObject({ deployment_number });
  for (const got of receiver.received) verify(secret, got, Date.now());
  await server.end("SIGTERM");
  expect(server.said()).not.toContain(secret);
});
