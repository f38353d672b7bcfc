import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobResponse } from "../api/schemas/admin-maintenance.ts";
import { startNameserver, type TestNameserver } from "../clients/acme/testing/nameserver.ts";
import { type Pebble, startPebble } from "../clients/acme/testing/pebble.ts";
import { createRoot, issueLeaf } from "../clients/x509/local-ca.ts";
import { readCertificate } from "../clients/x509/read.ts";
import { LOCAL, NO_ATTEMPTS } from "../domain/model/certificate.ts";
import { type Claim, connectionStatus } from "../domain/model/claim.ts";
import { HOUR } from "../domain/timestamp.ts";
import { presented } from "../serving/tls/testing/presented.ts";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import type { ClaimResponse } from "./testing/domains.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import { waitUntil } from "./testing/wait-until.ts";

type RunningJob = typeof JobResponse.static;

/** Visits over TLS as a browser does: the name resolves to loopback, and `ca` signs the certificate. */
function visit(port: number, host: string, ca: string, path = "/"): Promise<Response> {
  const tls = { ca, serverName: host, checkServerIdentity: () => undefined };
  return fetch(`https://127.0.0.1:${port}${path}`, { redirect: "manual", headers: { Host: `${host}:${port}` }, tls });
}

function fromHttpPort(port: number, host: string, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", headers: { Host: host } });
}

needing("pebble").describe("TLS acme, against pebble with one nonce in ten refused", () => {
  let vitrine: TestServer;
  let pebble: Pebble;
  let names: TestNameserver;
  let ports: { https: number; http: number; dns: number };
  let token: string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "vitrine-tls-"));
    ports = { https: freePort(), http: freePort(), dns: freePort() };
    names = await startNameserver(() => ports.dns);
    pebble = await startPebble({ httpPort: ports.http, nameserver: names.address, nonceRejections: 10 });
    vitrine = await start();
    token = (await vitrine.signUp("ada")).token;
  });

  afterAll(async () => {
    await vitrine[Symbol.asyncDispose]();
    await pebble.stop();
    await names.close();
    rmSync(folder, { recursive: true });
  });

  function start(): Promise<TestServer> {
    return startTestServer({
      workers: "2",
      "data-dir": folder,
      tls: "acme",
      listen: `127.0.0.1:${ports.https}`,
      "http-listen": `127.0.0.1:${ports.http}`,
      "dns-listen": `127.0.0.1:${ports.dns}`,
      "base-url": `https://pages.test:${ports.https}`,
      "acme-directory": pebble.directory,
      "acme-ca-file": pebble.caFile,
      "dns-resolvers": names.address,
      "routing-targets": "A:127.0.0.1",
      "probe-ports": `${ports.http},${ports.https}`,
      "allow-private-probes": "on",
    });
  }

  async function api(method: string, path: string, json?: unknown): Promise<Response> {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { Host: "pages.test", Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const tls = { rejectUnauthorized: false };
    return fetch(`https://127.0.0.1:${ports.https}${path}`, { method, headers, tls, ...body });
  }

  /** Waits for the result of an order. A failed order, as on a busy machine, is retried an hour later. */
  function eventually<T>(what: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
    return waitUntil(async () => {
      const now = vitrine.clock.now();
      const failed = (await vitrine.store.certificates.list()).filter(({ attempts: { error, lastAt, wait } }) => {
        return error !== null && (lastAt ?? 0) + wait > now;
      });
      if (failed.length > 0) vitrine.advance(HOUR);
      return what();
    }, done);
  }

  /** Resolves when the job that places orders has run from beginning to end. */
  async function untilOrdered(): Promise<void> {
    const { user, token: operator } = await vitrine.signUp(crypto.randomUUID());
    await vitrine.store.users.setOperator(user.id, true);
    const since = vitrine.clock.now();
    const latestRun = async () => {
      const jobs = (await (await vitrine.call("GET", "/admin/jobs", { token: operator })).json()) as RunningJob[];
      return jobs.find(({ name }) => name === "renew-certificates")?.last_run_at ?? "";
    };
    await waitUntil(latestRun, (at) => Date.parse(at) >= since);
  }

  async function claims(): Promise<ClaimResponse[]> {
    return (await (await api("GET", "/sites/shop/domains")).json()) as ClaimResponse[];
  }

  test("the wildcard of the sites domain is issued by DNS-01, with the base host", async () => {
    const certificate = await eventually(
      () => presented(ports.https, "any.pages.test"),
      (one) => one.subjectAltName !== undefined,
    );
    expect(certificate.subjectAltName?.split(", ").sort()).toEqual(["DNS:*.pages.test", "DNS:pages.test"]);
    // The other thread may still present its own certificate, which is not trusted.
    const root = await pebble.root();
    const health = () =>
      visit(ports.https, "pages.test", root, "/health").then(
        ({ status }) => status,
        () => null,
      );
    expect(await eventually(health, (status) => status !== null)).toBe(200);
  });

  test("names without a certificate, and clients without a server name, get a self-signed one and cause no order", async () => {
    const orders = await vitrine.store.acme.ordersSince(pebble.directory, 0);
    for (const name of ["unknown.test", "deeper.any.pages.test", null]) {
      const certificate = await presented(ports.https, name);
      expect(certificate.subjectAltName).toBeUndefined();
      expect(certificate.issuer).toContain("Vitrine");
    }
    expect(await vitrine.store.acme.ordersSince(pebble.directory, 0)).toBe(orders);
  });

  test("a claimed name gets its own certificate, which is deleted with the claim", async () => {
    const body = new FormData();
    body.set("file", new Blob([(await zipOf({ "index.html": "<h1>shop</h1>" })) as Uint8Array<ArrayBuffer>]), "s.zip");
    const tls = { rejectUnauthorized: false };
    const headers = { Host: "pages.test", Authorization: `Bearer ${token}`, "X-Service-Site": "shop" };
    const url = `https://127.0.0.1:${ports.https}/deploy`;
    expect((await fetch(url, { method: "POST", body, headers, tls })).status).toBe(201);
    const claimed = await api("POST", "/sites/shop/domains", { hostname: "www.shop.test" });
    expect(claimed.status).toBe(201);
    const { id, verification } = (await claimed.json()) as ClaimResponse;
    expect((await fromHttpPort(ports.http, "www.shop.test", "/")).status).toBe(404);

    names.texts.set(verification.name, [verification.value]);
    vitrine.advance(61_000);
    await eventually(claims, ([claim]) => claim?.connection_status === "connected");
    const root = await pebble.root();
    expect(await (await visit(ports.https, "www.shop.test", root)).text()).toBe("<h1>shop</h1>");
    expect((await presented(ports.https, "www.shop.test")).subjectAltName).toBe("DNS:www.shop.test");
    const redirect = await fromHttpPort(ports.http, "www.shop.test", "/a//b?c=%20");
    expect(redirect.status).toBe(308);
    expect(redirect.headers.get("location")).toBe(`https://www.shop.test:${ports.https}/a//b?c=%20`);

    expect((await api("DELETE", `/sites/shop/domains/${id}`)).status).toBe(204);
    await eventually(claims, ([claim]) => claim?.route_status === "removed");
    await eventually(
      () => presented(ports.https, "www.shop.test"),
      (one) => one.subjectAltName === undefined,
    );
    expect((await fromHttpPort(ports.http, "www.shop.test", "/")).status).toBe(404);
    expect((await visit(ports.https, "www.shop.test", root).catch(() => null))?.status).not.toBe(200);
    expect((await api("DELETE", "/sites/shop")).status).toBe(204);
  });

  test("once ACME is enabled again, stored certificates are presented, and only a name without one is ordered", async () => {
    const wildcard = async () => (await presented(ports.https, "any.pages.test")).fingerprint256;
    const before = await wildcard();
    await vitrine.stop();
    const plain = { tls: "off", listen: `127.0.0.1:${ports.http}`, "base-url": `http://pages.test:${ports.http}` };
    vitrine = await startTestServer({
      "data-dir": folder,
      ...plain,
      "dns-resolvers": names.address,
      "routing-targets": "A:127.0.0.1",
      "probe-ports": `${ports.http},${ports.https}`,
      "allow-private-probes": "on",
    });
    await vitrine.deploy(token, await zipOf({ "index.html": "<h1>late</h1>" }), { site: "late" });
    const claimed = await vitrine.call("POST", "/sites/late/domains", { token, json: { hostname: "www.late.test" } });
    const { id, verification } = (await claimed.json()) as ClaimResponse;
    names.texts.set(verification.name, [verification.value]);
    const status = async () => connectionStatus((await vitrine.store.claims.find(id)) as Claim);
    const check = () => vitrine.call("POST", `/sites/late/domains/${id}/check`, { token }).then(status);
    await eventually(check, (now) => now === "connected");
    await vitrine.stop();

    vitrine = await start();
    expect(await wildcard()).toBe(before);
    const own = () => presented(ports.https, "www.late.test");
    await eventually(own, (one) => one.subjectAltName === "DNS:www.late.test");
    await eventually(status, (now) => now === "connected");
    expect((await api("DELETE", `/sites/late/domains/${id}`)).status).toBe(204);
    await eventually(own, (one) => one.subjectAltName === undefined);
    await untilOrdered();
    expect(await wildcard()).toBe(before);
  });

  test("a published challenge is served on every port and host until it is withdrawn", async () => {
    const challenge = { type: "http-01", name: "token", value: "answer", expiresAt: Date.now() + 3_600_000 } as const;
    await vitrine.store.acme.publishChallenge(challenge);
    const path = "/.well-known/acme-challenge/token";
    const everywhere = async (host: string) => [
      await (await fromHttpPort(ports.http, host, path)).text(),
      await (await visit(ports.https, host, await pebble.root(), path)).text(),
    ];
    expect(await everywhere("pages.test")).toEqual(["answer", "answer"]);
    expect(await everywhere("any.pages.test")).toEqual(["answer", "answer"]);
    await vitrine.store.acme.withdrawChallenge(challenge);
    expect(await everywhere("pages.test")).toEqual(["not found\n", "not found\n"]);
    expect(await everywhere("any.pages.test")).toEqual(["not found\n", "not found\n"]);
  });

  test("a clock that is 2,000 days ahead costs one certificate and no further order", async () => {
    const before = await presented(ports.https, "any.pages.test");
    vitrine.advance(2000 * 86_400_000);
    await eventually(
      () => presented(ports.https, "any.pages.test"),
      (one) => one.fingerprint256 !== before.fingerprint256,
    );
    const orders = await vitrine.store.acme.ordersSince(pebble.directory, 0);
    await untilOrdered();
    expect(await vitrine.store.acme.ordersSince(pebble.directory, 0)).toBe(orders);
    vitrine.advance(-2000 * 86_400_000);
  });
});

test("while the CA is unreachable, the server serves and reports that domains are not ready", async () => {
  const http = freePort();
  await using vitrine = await startTestServer({
    tls: "acme",
    "http-listen": `127.0.0.1:${http}`,
    "base-url": "https://pages.test",
    "acme-directory": "https://127.0.0.1:1/directory",
    "routing-targets": "A:127.0.0.1",
    "dns-resolvers": "127.0.0.1:1",
  });
  const { port } = vitrine.config.listen;
  const tls = { rejectUnauthorized: false };
  const headers = { Host: "pages.test" };
  const get = (path: string, more = {}) =>
    fetch(`https://127.0.0.1:${port}${path}`, { headers: { ...headers, ...more }, tls });
  expect(await (await get("/health")).json()).toEqual({ status: "ok" });
  const { token } = await vitrine.signUp("ada");
  const capability = await get("/capabilities/custom-domains", { Authorization: `Bearer ${token}` });
  expect(await capability.json()).toMatchObject({
    status: "not_ready",
    control_ready: false,
    automatic: { enabled: true, issuer: "https://127.0.0.1:1/directory", challenge: "http-01" },
  });
  expect((await fromHttpPort(http, "pages.test", "/health")).status).toBe(404);
  expect((await fromHttpPort(http, "pages.test", "/.well-known/acme-challenge/token")).status).toBe(404);
});

test("without TLS the plain HTTP port redirects to no HTTPS address", async () => {
  const http = freePort();
  await using vitrine = await startTestServer({ "http-listen": `127.0.0.1:${http}` });
  for (const method of ["GET", "POST"]) {
    const response = await fetch(`http://127.0.0.1:${http}/deploy`, { method, headers: { Host: "localhost" } });
    expect([response.status, await response.text()]).toEqual([404, "not found\n"]);
  }
  expect((await vitrine.call("GET", "/health")).status).toBe(200);
});

describe("TLS manual", () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const flags = () => ({ tls: "manual", "tls-cert": file("cert.pem"), "tls-key": file("key.pem") });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "vitrine-manual-"));
    await write();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function write(): Promise<void> {
    const { chain, key } = await issueLeaf(await createRoot(Date.now()), ["pages.test"], Date.now());
    writeFileSync(file("cert.pem"), chain);
    writeFileSync(file("key.pem"), key);
  }

  test("the files are presented and measured, and reloaded once the replaced ones are valid", async () => {
    const options = { workers: "2", "base-url": "https://pages.test", "metrics-listen": "127.0.0.1:0" };
    await using vitrine = await startTestServer({ ...flags(), ...options });
    const { port } = vitrine.config.listen;
    const inFile = () => new X509Certificate(readFileSync(file("cert.pem"))).fingerprint256;
    expect((await presented(port, "pages.test")).fingerprint256).toBe(inFile());

    // Certificates that were managed before are not measured.
    const { certificates } = vitrine.store;
    await certificates.want({ identifiers: ["before.test"], challenge: "http-01", origin: "appliance" });
    const { chain, key } = await issueLeaf(await createRoot(Date.now()), ["before.test"], Date.now());
    const before = readCertificate(chain, key, LOCAL);
    expect(await certificates.install("before.test", before, { orderedAt: 0, at: 0 }, NO_ATTEMPTS)).toBe(true);
    const metrics = async () => {
      const text = await (await fetch(`http://127.0.0.1:${vitrine.metricsPort}/metrics`)).text();
      return text.split("\n").filter((line) => line.startsWith("vitrine_certificate_days_left"));
    };
    expect(await metrics()).toEqual([expect.stringContaining('{name="pages.test"}')]);

    const renewed = await issueLeaf(await createRoot(Date.now()), ["renewed.test"], Date.now());
    writeFileSync(file("key.pem"), renewed.key);
    expect(await metrics()).toEqual([expect.stringContaining('{name="pages.test"}')]);
    writeFileSync(file("cert.pem"), renewed.chain);
    const measured = await waitUntil(metrics, ([line]) => !line?.includes("pages.test"));
    expect(measured).toEqual([expect.stringContaining('{name="renewed.test"}')]);
    await waitUntil(
      () => presented(port, null),
      (one) => one.fingerprint256 === inFile(),
    );
  });

  test.each([
    ["no certificate", () => rmSync(file("cert.pem")), /^--tls-cert .*cert\.pem cannot be read: no such file$/],
    ["no key", () => rmSync(file("key.pem")), /^--tls-key .*key\.pem cannot be read: no such file$/],
    ["an empty certificate", () => writeFileSync(file("cert.pem"), ""), /the certificate is not in PEM form$/],
    [
      "a damaged certificate behind a good one",
      () => writeFileSync(file("cert.pem"), readFileSync(file("cert.pem"), "utf8").slice(0, -60)),
      /^--tls-cert .*cert\.pem with .*: the certificate number 2 of the chain is damaged$/,
    ],
    ["a key that is none", () => writeFileSync(file("key.pem"), "key"), /the private key is not in PEM form/],
    [
      "another's key",
      async () => {
        const { key } = await issueLeaf(await createRoot(Date.now()), ["pages.test"], Date.now());
        writeFileSync(file("key.pem"), key);
      },
      /the private key belongs to another certificate$/,
    ],
  ])("%s stops the start with one line", async (_, spoil, message) => {
    await write();
    await spoil();
    const failure = await startTestServer({ ...flags(), "base-url": "https://pages.test" }).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failure).toMatch(message);
    expect(failure).not.toContain("\n");
  });
});

needing("curl").test("TLS internal serves the base host and every site with a root that curl trusts", async () => {
  await using vitrine = await startTestServer({ tls: "internal", "base-url": "https://pages.test" });
  const { port } = vitrine.config.listen;
  const root = join(vitrine.config.dataDir, "local-ca.pem");
  const ask = async (host: string) => {
    const url = [`https://${host}:${port}/health`, "--resolve", `${host}:${port}:127.0.0.1`];
    const curl = Bun.spawn([
      "curl",
      "-s",
      "-o",
      "/dev/null",
      "-w",
      "%{http_code} %{http_version}",
      "--cacert",
      root,
      ...url,
    ]);
    return new Response(curl.stdout).text();
  };
  expect(await ask("pages.test")).toBe("200 2");
  expect(await ask("any.pages.test")).toBe("404 2");
  expect(await ask("elsewhere.test")).toBe("000 0");
});
