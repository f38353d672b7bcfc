import { afterAll, beforeAll, expect, test } from "bun:test";
import { freePort } from "../testing/free-port.ts";
import { zipOf } from "./testing/archives.ts";
import { scratchFolder } from "./testing/executable.ts";
import { manualCertificate } from "./testing/manual-certificate.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const BASE = "pages.example.test";

const folder = scratchFolder();
let vitrine: TestServer;
let httpPort: number;

beforeAll(async () => {
  httpPort = freePort();
  vitrine = await startTestServer({
    ...(await manualCertificate(folder.path, BASE, `*.${BASE}`)),
    "base-url": `https://${BASE}`,
    "http-listen": `127.0.0.1:${httpPort}`,
    "trusted-proxies": "127.0.0.1/32",
    hsts: "180d",
  });
  const { token } = await vitrine.signUp("ada");
  expect((await vitrine.deploy(token, await zipOf({ "index.html": "home" }), { site: "demo" })).status).toBe(201);
});
afterAll(async () => {
  await vitrine?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const field = async (response: Promise<Response>) => (await response).headers.get("strict-transport-security");

test.each([
  ["GET", "/"],
  ["HEAD", "/"],
  ["GET", "/health"],
  ["GET", "/sites"],
  ["GET", "/nothing-here"],
  ["POST", "/deploy"],
  ["TRACE", "/"],
])("%s %s at the base URL sends Strict-Transport-Security for that host alone", async (method, path) => {
  expect(await field(vitrine.call(method, path))).toBe("max-age=15552000");
});

test.each([
  ["a site", `demo.${BASE}`],
  ["a host that is nobody's", "nobody.test"],
  ["an address that a balancer asks by", "203.0.113.7"],
])("%s does not send it", async (_, host) => {
  expect(await field(vitrine.call("GET", "/health", { headers: { Host: host } }))).toBeNull();
});

test("plain HTTP does not send it, directly or through a proxy", async () => {
  expect(
    await field(fetch(`http://127.0.0.1:${httpPort}/`, { redirect: "manual", headers: { Host: BASE } })),
  ).toBeNull();
  expect(await field(vitrine.call("GET", "/health", { headers: { "X-Forwarded-Proto": "http" } }))).toBeNull();
});
