import { afterAll, beforeAll, expect, test } from "bun:test";
import { startIssuer, type TestIssuer } from "../clients/ci/testing/issuer.ts";
import { addLocalAccount, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { rawRequest } from "./testing/raw.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import { exchangeOf } from "./testing/token-exchange.ts";

let server: TestServer;
let issuer: TestIssuer;

beforeAll(async () => {
  issuer = await startIssuer();
  server = await startTestServer({ workers: "2", "ci-issuers": issuer.url });
  await addLocalAccount(server, "ada");
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await issuer?.stop();
});

test("a request without a body may start device authorization", async () => {
  const { host } = new URL(server.baseUrl);
  const request = `POST /auth/device HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await rawRequest(server.config.listen.port, [request])).toStartWith("HTTP/1.1 200");
});

test("the dashboard's cookie is not sent to sites: it has no domain, and scripts cannot read it", async () => {
  const browser = await signIn(server, "ada");
  expect(browser.cookies(server.siteUrl("diary")).size).toBe(0);
  const response = await browser.submit("/sign-out", {});
  const [line = ""] = response.headers.getSetCookie();
  expect(line).toMatch(/^vitrine=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/);
});

test("the number of tokens is unlimited, but the operator's rate limit holds across threads", async () => {
  const start = async (from: TestServer) => {
    const { token: mine } = await from.signUp("with-many-tokens");
    await from.deploy(mine, await zipOf({ "index.html": "x" }), { site: "many-tokens" });
    return () => from.call("POST", "/tokens", { token: mine, json: { site_name: "many-tokens" } });
  };
  const statuses = async (create: () => Promise<Response>) =>
    (await Promise.all(Array.from({ length: 64 }, create))).map(({ status }) => status);
  expect(new Set(await statuses(await start(server)))).toEqual(new Set([201]));

  await using limited = await startTestServer({ workers: "2", "token-rate": "60/1m" });
  const create = await start(limited);
  expect((await statuses(create)).filter((status) => status === 201)).toHaveLength(60);
  const refused = await create();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
});

test("with X-Service-If-Changed, concurrent uploads of the same files create one deployment", async () => {
  const { token } = await server.signUp("racer");
  await server.deploy(token, await zipOf({ "index.html": "old" }), { site: "race" });
  const archive = await zipOf({ "index.html": "new" });
  const upload = { site: "race", headers: { "X-Service-If-Changed": "yes" } };
  const responses = await Promise.all(Array.from({ length: 8 }, () => server.deploy(token, archive, upload)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  const site = await server.store.sites.find("race");
  expect(await server.store.deployments.list(site?.id ?? 0, { limit: 10, before: null })).toHaveLength(2);
});

test("the keys of a CI issuer are fetched once for all threads, however many unknown keys are named", async () => {
  const exchange = async (_: unknown, index: number) => {
    const idToken = await issuer.sign({}, { kid: `unknown ${index}` });
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Connection: "close" };
    const body = new URLSearchParams(exchangeOf("diary", idToken)).toString();
    return (await server.call("POST", "/auth/token", { body, headers })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 20 }, exchange));
  expect(new Set(statuses)).toEqual(new Set([400]));
  // The configuration and the keys.
  expect(issuer.requests).toBe(2);
});

test("limits use the address that a trusted proxy sends, and ignore other proxies", async () => {
  const start = (from: TestServer, address: string) =>
    from.call("POST", "/auth/device", { headers: { "X-Forwarded-For": address } }).then(({ status }) => status);
  await using proxied = await startTestServer({ workers: "2", "trusted-proxies": "127.0.0.0/8" });
  for (let attempt = 0; attempt < 20; attempt++) expect(await start(proxied, "203.0.113.7")).toBe(200);
  expect(await start(proxied, "203.0.113.7")).toBe(429);
  expect(await start(proxied, "203.0.113.8")).toBe(200);
  for (let attempt = 0; attempt < 20; attempt++) await start(server, `203.0.113.${attempt}`);
  expect(await start(server, "203.0.113.99")).toBe(429);
});
