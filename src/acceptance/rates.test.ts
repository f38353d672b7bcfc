import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { SECOND } from "../domain/timestamp.ts";
import { zipOf } from "./testing/archives.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

/** Connections are closed after each response, so that the kernel spreads requests over both threads. */
const headers = { Connection: "close" };

/** The first slot is free again so late that a busy machine gets none while a test counts. */
const ABOUT_1000_SECONDS = [900, 1001] as const;

test("API requests are counted by credential, in all threads together", async () => {
  await using vitrine = await startTestServer({ workers: "2", "api-rate": "20/20000s" });
  const { token } = await vitrine.signUp("ada");
  const call = (credential: string | undefined) => vitrine.call("GET", "/sites", { token: credential, headers });
  const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await call(token)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  const refused = await call(token);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { detail: "too many calls with this credential: slow down" },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(...ABOUT_1000_SECONDS);
  expect((await call((await vitrine.signUp("grace")).token)).status).toBe(200);
  expect((await call(undefined)).status).toBe(401);
  vitrine.advance(1000 * SECOND);
  expect((await call(token)).status).toBe(200);
});

describe("visits", () => {
  let vitrine: TestServer;
  beforeAll(async () => {
    vitrine = await startTestServer({ workers: "2", "visit-rate": "10/10000s", "trusted-proxies": "127.0.0.1/32" });
    const { token } = await vitrine.signUp("ada");
    await vitrine.deploy(token, await zipOf({ "index.html": "hello" }), { site: "demo" });
  });
  afterAll(() => vitrine?.[Symbol.asyncDispose]());

  const visit = (address: string, path = "/") =>
    vitrine.visit("demo", path, { headers: { ...headers, "X-Forwarded-For": address } });

  async function statuses(addresses: readonly string[]): Promise<number[]> {
    return Promise.all(addresses.map(async (address) => (await visit(address)).status));
  }

  test("are counted by address in all threads together, and allowed again later", async () => {
    const got = await statuses(Array<string>(30).fill("192.0.2.1"));
    expect(got.filter((status) => status === 200)).toHaveLength(10);
    const refused = await visit("192.0.2.1");
    expect([refused.status, refused.headers.get("cache-control")]).toEqual([429, "no-store"]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(...ABOUT_1000_SECONDS);
    expect(await refused.text()).toContain("Too many requests");
    expect((await visit("192.0.2.2")).status).toBe(200);
    vitrine.advance(10_000 * SECOND);
    expect((await statuses(Array<string>(10).fill("192.0.2.1"))).every((status) => status === 200)).toBe(true);
  });

  test("of an IPv6 network count as one", async () => {
    const addresses = Array.from({ length: 12 }, (_, index) => `2001:db8::${index + 1}`);
    expect((await statuses(addresses)).filter((status) => status === 200)).toHaveLength(10);
  });

  test("do not block challenges and probes", async () => {
    await statuses(Array<string>(11).fill("192.0.2.3"));
    expect((await visit("192.0.2.3")).status).toBe(429);
    expect((await visit("192.0.2.3", "/.well-known/acme-challenge/x")).status).toBe(404);
    expect((await visit("192.0.2.3", "/.well-known/vitrine/x")).status).toBe(404);
  });

  test("do not count for the dashboard and the API", async () => {
    await statuses(Array<string>(11).fill("192.0.2.4"));
    const response = await vitrine.call("GET", "/version", { headers: { "X-Forwarded-For": "192.0.2.4" } });
    expect(response.status).toBe(200);
  });
});

test("the idle timeout of connections can be set", async () => {
  await using short = await startTestServer({ "idle-timeout": "4s" });
  await using long = await startTestServer({ "idle-timeout": "255s" });
  const lasting = openIdle(long);
  // If both had the same timeout, the first connection would be closed before the third, which is opened after the second.
  await openIdle(short).closed;
  await openIdle(short).closed;
  expect(lasting.socket.readyState).toBe("open");
  lasting.socket.destroy();
});

/** Sends a request that stops in the middle of its body. */
function openIdle({ config: { listen } }: TestServer): { readonly socket: Socket; readonly closed: Promise<unknown> } {
  const head = `POST /auth/device HTTP/1.1\r\nHost: localhost:${listen.port}\r\nContent-Type: application/json\r\n`;
  const socket = connect(listen.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  // A connection may be closed by a reset.
  socket.on("error", () => {});
  socket.resume().write(`${head}Content-Length: 50\r\n\r\n{`);
  return { socket, closed };
}

test("the maximum length of addresses and the number of waiting uploads can be set", async () => {
  await using vitrine = await startTestServer({ "max-url-length": "1024", unpackers: "1", "waiting-uploads": "1" });
  expect((await vitrine.call("GET", `/version?${"x".repeat(900)}`)).status).toBe(200);
  expect((await vitrine.call("GET", `/version?${"x".repeat(1100)}`)).status).toBe(414);
  const { token } = await vitrine.signUp("ada");
  const archive = await zipOf({ "index.html": crypto.getRandomValues(new Uint8Array(65_536)) });
  const deployments = Array.from({ length: 12 }, (_, index) =>
    vitrine.deploy(token, archive, { site: `site-${index}` }),
  );
  const statuses = (await Promise.all(deployments)).map(({ status }) => status);
  expect(statuses).toContain(201);
  expect(statuses.every((status) => status === 201 || status === 503)).toBe(true);
});
