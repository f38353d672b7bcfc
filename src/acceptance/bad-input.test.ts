import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { zipOf } from "./testing/archives.ts";
import { rawRequest } from "./testing/raw.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;
let port: number;

beforeAll(async () => {
  vitrine = await startTestServer();
  port = Number(new URL(vitrine.baseUrl).port);
  const { token } = await vitrine.signUp("ada");
  const garbage = Array.from({ length: 256 * 1024 }, (_, i) => String.fromCharCode(((i * 7919) % 251) + 1)).join("");
  const files = {
    "index.html": "home",
    "404.html": "lost",
    sites: "a file of the site",
    "auth/me": "another one",
    _redirects: `${garbage}\n/old /new 301`,
    _headers: garbage,
  };
  expect((await vitrine.deploy(token, await zipOf(files), { site: "demo" })).status).toBe(201);
  const secret = { "index.html": "a neighbour's secret" };
  expect((await vitrine.deploy(token, await zipOf(secret), { site: "secret", access: "private" })).status).toBe(201);
});
afterAll(() => vitrine?.[Symbol.asyncDispose]());

afterEach(async () => {
  expect((await vitrine.call("GET", "/health")).status).toBe(200);
});

const sendRaw = (to: number, bytes: string) => rawRequest(to, [bytes]);

/** Returns the status codes of all responses. */
function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const HOST = "Host: demo.localhost";
const get = (target: string, headers = HOST) => `GET ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`;

describe("request targets", () => {
  test.each([
    ["/%2e%2e/%2e%2e/etc/passwd", [400]],
    ["/../etc/passwd", [400]],
    ["/docs/.%2E/index.html", [400]],
    ["/a/b/c/..?q=1", [400]],
    ["/..a/b..", [404]],
    ["/?q=/../", [200]],
    ["/..%2f..%2fetc/passwd", [400]],
    ["/%2e%2e%2fvitrine.db", [400]],
    ["/..%5c..%5cetc", [400]],
    ["/....//....//etc/passwd", [404]],
    ["/..%c0%af..%c0%afetc", [400]],
    ["/%252e%252e%252fetc", [404]],
    ["/%00", [400]],
    ["/index.html%00.png", [400]],
    ["/%zz", [400]],
    ["/%", [400]],
    ["/%ff%fe", [400]],
    ["/a%0d%0aSet-Cookie:%20x=1", [400]],
    ["//evil.example/%2e%2e", [404]],
    ["/.git/config", [404]],
    ["/_redirects", [404]],
    ["/sites", [200]],
    ["/auth/me", [200]],
    ["/deploy", [404]],
    ["/health", [404]],
  ])("%s is answered with %j", async (target, statuses) => {
    const response = await sendRaw(port, get(target));
    expect(statusesOf(response)).toEqual(statuses);
    expect(response).not.toMatch(/^Set-Cookie/im);
  });

  test("a URL that is too long is 414, and a slightly shorter one is 404", async () => {
    expect(statusesOf(await sendRaw(port, get(`/${"a".repeat(8192)}`)))).toEqual([414]);
    expect(statusesOf(await sendRaw(port, get(`/${"a".repeat(8191)}`)))).toEqual([404]);
  });
});

test.each([
  ["that climbs", "/../x"],
  ["that is too long", `/${"a".repeat(8192)}`],
])("the refusal of the target %s does not reveal the host", async (_, target) => {
  const hosts = ["demo.localhost", "1--demo.localhost", "secret.localhost", "1--secret.localhost", "no-site.localhost"];
  const responses = await Promise.all(hosts.map((host) => sendRaw(port, get(target, `Host: ${host}`))));
  expect(new Set(responses.map((response) => response.replace(/^Date: .*$/im, ""))).size).toBe(1);
  for (const field of ["Cache-Control: private, no-store", "Vary: Cookie", "X-Robots-Tag: noindex"])
    expect(responses[0]).toMatch(new RegExp(`^${field}\r$`, "im"));
});

describe("hosts", () => {
  test.each([
    "user@x",
    "a, b",
    "a/../b",
    "",
    " \t ",
    ".",
    ":80",
    "demo.localhost:99999999",
    "demo..localhost",
    "[::1",
    "d\u00e9mo.localhost",
  ])("%j is a bad request", async (host) => {
    expect(statusesOf(await sendRaw(port, get("/", `Host: ${host}`)))).toEqual([400]);
  });

  test.each([
    ["none at all", "X: y"],
    ["two of them", `${HOST}\r\nHost: secret.localhost`],
  ])("%s is a bad request", async (_, headers) => {
    expect(statusesOf(await sendRaw(port, get("/", headers)))).toEqual([400]);
  });

  test.each(["DEMO.LocalHost", "demo.localhost.", "demo.localhost:80"])("%s is the site", async (host) => {
    expect(await sendRaw(port, get("/", `Host: ${host}`))).toEndWith("home");
  });

  test("an unknown host gets the same response for every request, and no content of a site", async () => {
    const page = (host: string, target: string) => sendRaw(port, get(target, `Host: ${host}`));
    const [one, other] = [await page("nobody.example", "/"), await page("no-such-site.localhost", "/sites")];
    const body = (response: string) => response.slice(response.indexOf("\r\n\r\n"));
    expect(statusesOf(one)).toEqual([404]);
    expect(body(one)).toBe(body(other));
  });
});

describe("methods and headers", () => {
  test.each(["TRACE", "PUT", "PROPFIND", "PATCH", "DELETE"])("%s is 405 with Allow", async (method) => {
    const response = await sendRaw(port, get("/").replace("GET", method));
    expect(statusesOf(response)).toEqual([405]);
    expect(response).toMatch(/^allow: GET, HEAD, OPTIONS/im);
  });

  test.each(["FOO", "get", "Get", "BREW"])("%s, which is no method, closes the connection", async (method) => {
    expect(await sendRaw(port, get("/").replace("GET", method))).toBe("");
  });

  test("an absolute target is requested at the host in the Host field", async () => {
    expect(await sendRaw(port, get("http://secret.localhost/"))).toEndWith("home");
    expect(statusesOf(await sendRaw(port, get("http://demo.localhost/", "Host:")))).toEqual([400]);
  });

  test.each([
    ["too many", Array.from({ length: 300 }, (_, i) => `X-${i}: 1`).join("\r\n")],
    ["too long", `X: ${"y".repeat(70_000)}`],
  ])("header fields that are %s are 431", async (_, flood) => {
    expect(statusesOf(await sendRaw(port, get("/", `${HOST}\r\n${flood}`)))).toEqual([431]);
  });

  test("cookies that a site set for the whole domain do not lock its visitors out", async () => {
    const cookies = Array.from({ length: 15 }, (_, i) => `c${i}=${"y".repeat(3900)}`).join("; ");
    expect(statusesOf(await sendRaw(port, get("/", `${HOST}\r\nCookie: ${cookies}`)))).toEqual([200]);
  });

  test("many ranges get one complete response instead of many parts", async () => {
    const response = await sendRaw(port, get("/", `${HOST}\r\nRange: bytes=${"0-,".repeat(1000)}0-`));
    expect(statusesOf(response)).toEqual([200]);
    expect(response).toEndWith("\r\n\r\nhome");
  });
});

describe("smuggling", () => {
  const smuggled = get("/", "Host: secret.localhost");
  test.each([
    [
      "Content-Length and Transfer-Encoding",
      `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ["two lengths", `Content-Length: 0\r\nContent-Length: 44\r\n\r\n${smuggled}`],
    ["a length that is no number", `Content-Length: +0\r\n\r\n${smuggled}`],
    ["a chunk size that is none", `Transfer-Encoding: chunked\r\n\r\nzz\r\n${smuggled}`],
    ["a folded header", `X: a\r\n b\r\n\r\n${smuggled}`],
    ["a space before the colon", `Content-Length : 0\r\n\r\n${smuggled}`],
  ])("%s: no second request is processed, and the connection is closed", async (_, rest) => {
    const response = await sendRaw(port, `POST / HTTP/1.1\r\n${HOST}\r\n${rest}`);
    // A response that did not wait for the body may be followed by a refusal of the malformed body.
    const [first, ...later] = statusesOf(response);
    expect([400, 405]).toContain(first!);
    expect(later.filter((status) => status !== 400)).toEqual([]);
    expect(response).not.toContain("secret");
  });

  test("many pipelined requests are answered in order, or not at all so that the client retries", async () => {
    const statuses = statusesOf(await sendRaw(port, `GET / HTTP/1.1\r\n${HOST}\r\n\r\n`.repeat(999) + get("/")));
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe("slow clients", () => {
  /** Keeps two hundred slow requests open while others are answered. Returns how many were still open afterwards. */
  async function visitDuringSlowRequests(): Promise<number> {
    const sockets: Socket[] = [];
    for (let i = 0; i < 200; i += 1) {
      const socket = connect(port, "127.0.0.1", () => socket.write(`GET / HTTP/1.1\r\n${HOST}\r\nX-Slow: `));
      socket.on("error", () => {});
      sockets.push(socket);
    }
    try {
      const drip = setInterval(() => {
        for (const socket of sockets) socket.write("a");
      }, 200);
      const responses = await Promise.all(Array.from({ length: 200 }, () => vitrine.visit("demo")));
      clearInterval(drip);
      expect(responses.map((response) => response.status)).toEqual(Array(200).fill(200));
      return sockets.filter((socket) => !socket.destroyed).length;
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

  test("two hundred of them do not delay other clients", async () => {
    // The server closes slow requests after ten seconds, which the others may take on a busy machine.
    let open = 0;
    for (let round = 0; open < 200 && round < 5; round++) open = await visitDuringSlowRequests();
    // None was closed meanwhile, so the others were really served at the same time.
    expect(open).toBe(200);
  });
});
