import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const { afterAll, beforeAll, test } = needing("openssl");

const BASE = "pages.example.test";

let folder: string;
let vitrine: TestServer;
let httpPort: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-hsts-"));
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const names = ["-subj", `/CN=${BASE}`, "-addext", `subjectAltName=DNS:${BASE},DNS:*.${BASE}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  await Bun.$`openssl req -x509 ${kind} ${names} -keyout ${key} -out ${certificate}`.quiet();
  httpPort = freePort();
  vitrine = await startTestServer({
    tls: "manual",
    "tls-cert": certificate,
    "tls-key": key,
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
  rmSync(folder, { recursive: true, force: true });
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
