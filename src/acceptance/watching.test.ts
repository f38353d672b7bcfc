import { expect, test } from "bun:test";
import { freePort } from "../testing/free-port.ts";
import { zipOf } from "./testing/archives.ts";
import { deploy, scratchFolder, signUp, startProcess } from "./testing/executable.ts";
import { rawRequest } from "./testing/raw.ts";
import { startTestServer } from "./testing/test-server.ts";

test("the access log has a line for each request, without secrets", async () => {
  using folder = scratchFolder();
  const token = await signUp(folder.path, "ada");
  const server = await startProcess(folder.path, ["--workers", "1", "--log", "json", "--log-addresses", "truncated"]);
  await deploy(server, token, "demo", await zipOf({ "index.html": "hello" }));
  await server.fetch("/?q=secret", { site: "demo" });
  await server.fetch("/nowhere.png", { site: "demo", headers: { Cookie: "vitrine=secret" } });
  await server.fetch("/setup/secret");
  // A body that ends early is the sender's error, not the server's.
  const head = "POST /auth/device HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  await rawRequest(server.port, [`${head}Content-Length: 100\r\n\r\n{`], { end: true });
  await rawRequest(server.port, [`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n`]);
  expect(await server.end("SIGTERM")).toBe(0);

  const lines = server.said().trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line));
  expect(events[0].event).toBe(`Vitrine is running at http://localhost:${server.port}`);
  expect(events.map(({ event }) => event)).toContain("Received SIGTERM: finishing running requests …");
  const requests = events.filter(({ event }) => event === "request");
  expect(requests.map(({ method, host, path, status }) => [method, host, path, status])).toEqual([
    ["POST", `localhost:${server.port}`, "/deploy", 201],
    ["GET", `demo.localhost:${server.port}`, "/", 200],
    ["GET", `demo.localhost:${server.port}`, "/nowhere.png", 404],
    ["GET", `localhost:${server.port}`, "/setup/…", expect.any(Number)],
    ["POST", "localhost", "/auth/device", 400],
    ["POST", "localhost", "/auth/device", 400],
  ]);
  expect(events.filter(({ level }) => level === "error")).toEqual([]);
  expect(requests.every(({ address }) => address === "127.0.0.0")).toBe(true);
  expect(server.said()).not.toContain("secret");
  expect(server.said()).not.toContain(token);
});

test("the access log has all requests of a burst that ended just before SIGTERM", async () => {
  using folder = scratchFolder();
  const server = await startProcess(folder.path, ["--log", "text", "--workers", "2"]);
  const burst = Array.from({ length: 400 }, (_, n) => server.fetch(`/burst-${n}.html`, { site: "demo" }));
  for (const response of await Promise.all(burst)) expect(response.status).toBe(404);
  expect(await server.end("SIGTERM")).toBe(0);
  const logged = server.said().match(/ \/burst-\d+\.html 404 /g) ?? [];
  expect(new Set(logged).size).toBe(400);
});

test("requests on the plain HTTP port are logged and counted, without a token in clear text", async () => {
  using folder = scratchFolder();
  const http = `127.0.0.1:${freePort()}`;
  const metrics = `127.0.0.1:${freePort()}`;
  const listeners = ["--http-listen", http, "--metrics-listen", metrics];
  const tls = ["--tls", "internal", "--base-url", "https://pages.test:8443"];
  const server = await startProcess(folder.path, [...tls, ...listeners, "--log", "json", "--workers", "1"]);
  const headers = { Host: "pages.test", Authorization: "Bearer vts_secret" };
  expect((await fetch(`http://${http}/sites`, { headers })).status).toBe(403);
  const counted = await (await fetch(`http://${metrics}/metrics`)).text();
  expect(counted).toContain('vitrine_requests_total{part="api",status="4xx"} 1\n');
  expect(await server.end("SIGTERM")).toBe(0);
  expect(server.said()).toMatch(/"event":"request".*"host":"pages.test","path":"\/sites","status":403/);
  expect(server.said()).not.toContain("secret");
});

test("the metrics cover all threads, on a listener that visitors cannot reach", async () => {
  await using vitrine = await startTestServer({ workers: "2", "metrics-listen": "127.0.0.1:0" });
  const { token } = await vitrine.signUp("ada");
  await vitrine.deploy(token, await zipOf({ "index.html": "hello" }), { site: "demo", access: "private" });
  await vitrine.deploy(token, await zipOf({ "index.html": "hello" }), { site: "open" });
  for (let count = 0; count < 20; count++) {
    await vitrine.visit("open", "/", { headers: { Connection: "close" } });
  }
  await vitrine.visit("open", "/nowhere.png");

  const response = await fetch(`http://127.0.0.1:${vitrine.metricsPort}/metrics`);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  for (const line of [
    'vitrine_requests_total{part="site",status="2xx"} 20',
    'vitrine_requests_total{part="site",status="4xx"} 1',
    'vitrine_requests_total{part="api",status="2xx"} 2',
    'vitrine_sites{access="public"} 1',
    'vitrine_sites{access="private"} 1',
    "vitrine_deployments 2",
    "vitrine_contents 1",
    'vitrine_job_lag_seconds{job="sweep"}',
    "vitrine_cache_limit_bytes 268435456",
    "vitrine_site_bytes_total 100",
  ]) {
    expect(text).toContain(line.endsWith("}") ? `${line} ` : `${line}\n`);
  }
  expect(text).toMatch(/^vitrine_cache_misses_total [1-9]\d*$/m);
  expect(text.split("\n").every((line) => /^(#.*|[a-z_]+(\{[^}]*\})? [\d.e+-]+|)$/.test(line))).toBe(true);
  expect((await vitrine.call("GET", "/metrics")).status).toBe(404);
});
