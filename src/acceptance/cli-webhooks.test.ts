import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Webhook, WebhookDelivery } from "../api/schemas/types.ts";
import { type CliResult, runCli } from "../cli/testing/run-cli.ts";
import { zipOf } from "./testing/archives.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;
let receiver: Receiver;
let env: Record<string, string>;

beforeAll(async () => {
  vitrine = await startTestServer({ "allow-private-webhooks": "on" });
  const { token } = await vitrine.signUp("ada");
  await vitrine.deploy(token, await zipOf({ "index.html": "hello" }), { site: "demo" });
  env = { VITRINE_SERVER: vitrine.baseUrl, VITRINE_TOKEN: token };
  receiver = startReceiver();
});
afterAll(async () => {
  await receiver?.stop();
  await vitrine?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  receiver.respond = () => new Response(null, { status: 204 });
});

const cli = (...args: string[]): Promise<CliResult> => runCli(["webhooks", ...args], env);
const json = async <T>(...args: string[]) => JSON.parse((await cli(...args, "--json")).stdout) as T;
const newest = async () => (await json<Webhook[]>("list", "demo")).at(-1) as Webhook;

test("a webhook is added, and stdout has only its secret", async () => {
  expect((await cli("list", "demo")).stderr).toContain("vitrine webhooks add demo URL");
  const { status, stdout, stderr } = await cli(
    "add",
    "demo",
    receiver.url,
    "--events",
    "site.deleted, domain.verified",
  );
  const { id } = await newest();
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=\n$/)]);
  expect(stderr).toContain(`vitrine webhooks test demo ${id}`);
  const [heading, row] = (await cli("list", "demo")).stdout.split("\n");
  expect(heading).toMatch(/^ID +URL +EVENTS +STATUS$/);
  expect(row?.split(/ {2,}/)).toEqual([id, receiver.url, "site.deleted,domain.verified", "enabled"]);
  expect((await cli("rotate", "demo", id)).stdout).toMatch(/^whsec_/);
});

test("a ping prints its result, and fails if the delivery failed", async () => {
  const { id } = await newest();
  const good = await cli("test", "demo", id);
  expect([good.status, good.stderr]).toEqual([0, expect.stringMatching(/✓ Delivered ping: status 204 in .+\.\n$/)]);

  receiver.respond = () => new Response(null, { status: 500 });
  const bad = await cli("test", "demo", id);
  expect([bad.status, bad.stderr]).toEqual([1, expect.stringContaining("ping was not delivered: responded with 500")]);
  const [failed, delivered] = await json<WebhookDelivery[]>("deliveries", "demo", id);
  expect([failed?.status, delivered?.status]).toEqual(["failed", "delivered"]);

  receiver.respond = () => new Response(null, { status: 200 });
  const again = await json<WebhookDelivery>("retry", "demo", id, String(failed?.id));
  expect(again).toMatchObject({ id: failed?.id, status: "delivered", attempts: 2, status_code: 200 });
  const [heading, row] = (await cli("deliveries", "demo", id, "--limit", "1")).stdout.split("\n");
  expect(heading).toMatch(/^DELIVERY +EVENT +STATUS +ERROR +CREATED +ATTEMPTS +NEXT ATTEMPT$/);
  expect(row).toMatch(/^\d+ +ping +delivered +\d{4}-\d\d-\d\d \d\d:\d\d +2$/);
});

test("a webhook gets another address and other events, and is disabled and on", async () => {
  const { id } = await newest();
  const elsewhere = `${receiver.url}/elsewhere`;
  const changed = await json<Webhook>("change", "demo", id, "--url", elsewhere);
  expect(changed).toMatchObject({ url: elsewhere, events: ["site.deleted", "domain.verified"] });
  const { stderr } = await cli("change", "demo", id, "--events", "site.deleted, certificate.failing");
  expect(stderr).toContain(`✓ ${elsewhere} receives site.deleted, certificate.failing.`);
  expect(await json<Webhook>("change", "demo", id, "--url", receiver.url, "--events", "all")).toMatchObject({
    url: receiver.url,
    events: null,
  });
  expect((await cli("change", "demo", id)).status).toBe(2);

  expect((await cli("disable", "demo", id)).stderr).toContain(`vitrine webhooks enable demo ${id}`);
  expect(await newest()).toMatchObject({ enabled: false });
  expect((await cli("enable", "demo", id)).stderr).toContain("Enabled the webhook to ");
});

test("a webhook that was disabled after 410 is enabled again and removed", async () => {
  const { id } = await newest();
  receiver.respond = () => new Response(null, { status: 410 });
  await cli("test", "demo", id);
  expect((await cli("list", "demo")).stdout).toContain("disabled: the receiver responded with 410 Gone");
  const refused = await cli("test", "demo", id);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("the webhook is disabled")]);
  expect((await cli("enable", "demo", id)).status).toBe(0);
  expect((await cli("list", "demo")).stdout).not.toContain("disabled");
  expect((await cli("remove", "demo", id)).status).toBe(0);
  expect(await json<Webhook[]>("list", "demo")).toEqual([]);
});

test.each([
  [["add", "demo", "ftp://a.example/"], "must begin with https:// or http://"],
  [
    ["add", "demo", "https://a.example/", "--events", "deployment.made"],
    '"deployment.made" is not an event; the events are deployment.published, ',
  ],
  [["add", "nowhere", "https://a.example/"], "site does not exist"],
  [["test", "demo", "nothing"], "webhook does not exist"],
  [["retry", "demo", "nothing", "1"], "webhook does not exist"],
])("%p fails with an explanation", async (args, why) => {
  const { status, stdout, stderr } = await cli(...args);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(why);
});

test("a delivery id that is not a number is a usage error", async () => {
  const { status, stderr } = await cli("retry", "demo", "nothing", "x");
  expect([status, stderr]).toEqual([2, expect.stringContaining("x is not the ID of a delivery")]);
});
