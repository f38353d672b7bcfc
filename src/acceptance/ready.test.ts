import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { type ServingProcess, scratchFolder, startProcess } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;

beforeAll(async () => {
  vitrine = await startTestServer({ "base-url": "https://pages.example.test" });
});
afterAll(() => vitrine[Symbol.asyncDispose]());

/** Sends a raw request. Returns status and body. */
async function ask(request: string): Promise<[status: number, body: string]> {
  const socket = connect(vitrine.config.listen.port, "127.0.0.1");
  const response = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
  });
  socket.write(request);
  const [head = "", body = ""] = (await response).split("\r\n\r\n");
  return [Number(head.split(" ")[1]), body];
}

test("a draining server is healthy and not ready, sends Retry-After, and serves visits until it stops", async () => {
  using folder = scratchFolder();
  const server = await startProcess(folder.path, ["--drain-delay", "1m"]);
  expect((await server.fetch("/ready")).status).toBe(200);
  server.process.kill("SIGTERM");
  const draining = await until(server, 503);
  expect([draining.headers.get("retry-after"), await draining.json()]).toEqual([
    "5",
    { status: "draining", detail: "the server is stopping" },
  ]);
  expect((await server.fetch("/health")).status).toBe(200);
  expect((await server.fetch("/", { site: "nobody" })).status).toBe(404);
  await server.end("SIGKILL");
});

async function until(server: ServingProcess, status: number): Promise<Response> {
  for (;;) {
    const response = await server.fetch("/ready");
    if (response.status === status) return response;
  }
}

const get = (path: string, host: string, method = "GET") =>
  ask(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

test.each(["10.42.0.7:8080", "10.42.0.7", "[2001:db8::7]:8080", "127.0.0.1", "pages.example.test", ""])(
  "with Host %j, which has just an address, the server responds as healthy and ready",
  async (host) => {
    expect(await get("/health", host)).toEqual([200, '{"status":"ok"}']);
    expect(await get("/ready", host)).toEqual([200, '{"status":"ready"}']);
    expect(await get("/ready?from=balancer", host, "HEAD")).toEqual([200, ""]);
  },
);

test("without a Host header, as in HTTP/1.0, it does so too", async () => {
  expect(await ask("GET /ready HTTP/1.0\r\n\r\n")).toEqual([200, '{"status":"ready"}']);
});

test.each([
  ["/", "10.42.0.7", "GET", 404],
  ["/sites", "10.42.0.7", "GET", 404],
  ["/healthy", "10.42.0.7", "GET", 404],
  ["/ready", "10.42.0.7", "POST", 404],
  ["/ready", "site.example.test", "GET", 404],
  ["/ready", "10.42.0.7.example.test", "GET", 404],
  ["/ready", "pages@example.test", "GET", 400],
])("%s of %s by %s is not a probe: %d", async (path, host, method, status) => {
  expect((await get(path, host, method))[0]).toBe(status);
});
