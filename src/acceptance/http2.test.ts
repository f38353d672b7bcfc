import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { connect as connectTls } from "node:tls";
import { zipOf } from "./testing/archives.ts";
import { scratchFolder } from "./testing/executable.ts";
import { manualCertificate } from "./testing/manual-certificate.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const folder = scratchFolder();
let vitrine: TestServer;
let session: ClientHttp2Session;
let token: string;

beforeAll(async () => {
  vitrine = await startTestServer(await manualCertificate(folder.path, "localhost", "*.localhost"));
  token = (await vitrine.signUp("ada")).token;
  const archive = await zipOf({ "index.html": "home", "big.txt": "0123456789".repeat(50_000) });
  expect((await vitrine.deploy(token, archive, { site: "demo" })).status).toBe(201);
  const berta = await vitrine.signUp("berta");
  expect((await vitrine.deploy(berta.token, archive, { site: "of-berta" })).status).toBe(201);
  session = newSession();
});
afterAll(async () => {
  session?.destroy();
  await vitrine?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function newSession(): ClientHttp2Session {
  const opened = connect(`https://127.0.0.1:${new URL(vitrine.baseUrl).port}`, { rejectUnauthorized: false });
  opened.on("error", () => {});
  return opened;
}

const authority = () => `demo.localhost:${new URL(vitrine.baseUrl).port}`;

function get(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path, ":method": method, ":authority": authority(), ...headers });
    let body = "";
    let answered: Record<string, unknown> = {};
    stream.on("response", (received) => {
      answered = { ...received };
    });
    stream.on("data", (chunk) => {
      body += chunk;
    });
    stream.on("end", () => resolve({ status: Number(answered[":status"]), headers: answered, body }));
    stream.on("error", reject);
    stream.end();
  });
}

describe("a response that needs no body is sent after the whole body arrived, because the client might miss it before", () => {
  test.each([
    ["an upload to somebody else's site", "localhost", "POST", "/deploy", 403],
    ["a site that takes no posts", "demo.localhost", "POST", "/", 405],
    ["the methods of a site", "demo.localhost", "OPTIONS", "/", 204],
    ["nobody's host", "none.localhost", "POST", "/", 404],
    ["a challenge", "demo.localhost", "POST", "/.well-known/acme-challenge/x", 404],
    ["a URL that is too long", "demo.localhost", "POST", `/${"x".repeat(8192)}`, 414],
    ["a path that climbs", "demo.localhost", "POST", "/a/../b", 400],
  ])("%s", async (_, host, method, path, expected) => {
    const { port } = new URL(vitrine.baseUrl);
    const headers = {
      "content-type": "multipart/form-data; boundary=x",
      authorization: `Bearer ${token}`,
      "x-service-site": "of-berta",
    };
    const stream = session.request(
      { ":path": path, ":method": method, ":authority": `${host}:${port}`, ...headers },
      { endStream: false },
    );
    const status = new Promise((resolve) => stream.on("response", (response) => resolve(response[":status"])));
    const sent = new Promise((resolve) => stream.on("finish", () => resolve("sent")));
    stream.end(Buffer.alloc(3_000_000));
    expect(await Promise.race([status, sent])).toBe("sent");
    expect(await status).toBe(expected);
    stream.resume();
  });
});

test("a site is served over HTTP/2, from memory and disk, with conditions and ranges", async () => {
  const page = await get("/");
  expect([page.status, page.body]).toEqual([200, "home"]);
  expect((await get("/", { "if-none-match": `${page.headers.etag}` })).status).toBe(304);
  const head = await get("/", {}, "HEAD");
  expect(head.headers["content-length"]).toBe("4");
  for (const { headers } of [page, head])
    expect(Date.parse(`${headers.date}`)).toBeWithin(Date.now() - 60_000, Date.now());
  expect((await get("/big.txt")).body).toHaveLength(500_000);
  const part = await get("/big.txt", { range: "bytes=10-19" });
  expect([part.status, part.body, part.headers["content-range"]]).toEqual([206, "0123456789", "bytes 10-19/500000"]);
  const whole = await get("/big.txt", { range: "bytes=10-19", "if-range": '"other"' });
  expect([whole.status, whole.body.length]).toEqual([200, 500_000]);
  expect((await get("/none.js")).status).toBe(404);
  expect((await get("/%2e%2e%2fx")).status).toBe(400);
});

test("many concurrent streams all get responses", async () => {
  const responses = await Promise.all(Array.from({ length: 100 }, () => get("/")));
  expect(responses.every(({ status, body }) => status === 200 && body === "home")).toBe(true);
});

test("a thousand streams that are opened and reset end at most their own connection", async () => {
  const attacker = newSession();
  for (let i = 0; i < 1000 && !attacker.closed && !attacker.destroyed; i += 1) {
    const stream = attacker.request({ ":path": "/", ":authority": authority() });
    stream.on("error", () => {});
    stream.close(constants.NGHTTP2_CANCEL);
    if (i % 50 === 0) await Bun.sleep(1);
  }
  expect((await get("/")).body).toBe("home");
  attacker.destroy();
  session.destroy();
  session = newSession();
  expect((await get("/")).status).toBe(200);
});

test.each(["FOO", "get"])("%s, which is no method, is 501", async (method) => {
  expect((await get("/", {}, method)).status).toBe(501);
});

test("an absolute target, and a host that differs from the authority, end their stream", async () => {
  const { port } = new URL(vitrine.baseUrl);
  await expect(get(`https://of-berta.localhost:${port}/`)).rejects.toThrow("PROTOCOL_ERROR");
  await expect(get("/", { host: `of-berta.localhost:${port}` })).rejects.toThrow("PROTOCOL_ERROR");
});

test.each([
  [{}, "h2"],
  [{ http2: "off" }, "http/1.1"],
])("with %j a client that offers both gets %s", async (flags, expected) => {
  await using server = await startTestServer({ tls: "internal", ...flags });
  const { port } = new URL(server.baseUrl);
  const options = { host: "127.0.0.1", port: Number(port), rejectUnauthorized: false };
  const socket = connectTls({ ...options, ALPNProtocols: ["h2", "http/1.1"] });
  await new Promise((ready, failed) => socket.once("secureConnect", ready).once("error", failed));
  // If the server does not negotiate, the protocol is empty, which means HTTP/1.1.
  expect(socket.alpnProtocol || "http/1.1").toBe(expected);
  socket.destroy();
});
