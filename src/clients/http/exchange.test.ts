import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { freePort } from "../../testing/free-port.ts";
import { type Exchange, type ExchangeRequest, exchange } from "./exchange.ts";
import { loopbackServers } from "./testing/loopback.ts";
import { selfSigned } from "./testing/self-signed.ts";

const never = new AbortController().signal;
const { web, raw: listen } = loopbackServers();

function ask(port: number, wanted: Partial<ExchangeRequest> = {}, signal = never) {
  const whom = { address: "127.0.0.1", port, secure: false, hostname: "a.example" };
  const what = { method: "POST", path: "/a?b=c", headers: { Host: "a.example", "X-One": "1" }, body: "ö" };
  return exchange({ ...whom, ...what, maxBytes: 1000, requiresTrust: false, ...wanted }, signal);
}

async function secureWeb(): Promise<{ port: number; requests: () => number }> {
  let requests = 0;
  const port = web(() => new Response(String(++requests)), await selfSigned("a.example"));
  return { port, requests: () => requests };
}

/** Sends one byte at a time and keeps the connection open. */
async function trickle(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of text) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns status and body of a response. Fails the test if there is none. */
async function responseOf(result: Promise<Exchange>) {
  const response = await result;
  if (response.kind !== "response") throw new Error(JSON.stringify(response));
  return [response.statusCode, response.body.toString()];
}

describe("an exchange", () => {
  test("sends the request unchanged on a new connection", async () => {
    const received = Promise.withResolvers<string>();
    const port = await listen((socket, sent) => {
      received.resolve(sent);
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    await ask(port);
    const [head = "", body] = (await received.promise).split("\r\n\r\n");
    const [requestLine, ...fields] = head.split("\r\n");
    expect([requestLine, body]).toEqual(["POST /a?b=c HTTP/1.1", "ö"]);
    const expected = ["Host: a.example", "X-One: 1", "Content-Length: 2", "Connection: close"];
    expect(fields.map((field) => field.toLowerCase()).sort()).toEqual(
      expected.map((field) => field.toLowerCase()).sort(),
    );
  });

  test.each([
    ["of a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "ab"],
    ["without content", "HTTP/1.1 204 No Content\r\n\r\n", ""],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "abc"],
    ["after an interim response", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", "a"],
  ])("reads a response %s, although the connection stays open", async (_what, text, content) => {
    const port = await listen((socket) => socket.write(text));
    expect((await responseOf(ask(port, {}, AbortSignal.timeout(60_000))))[1]).toBe(content);
  });

  test.each([
    ["of no length", "HTTP/1.1 200 OK\r\n\r\nabc"],
    ["that breaks off", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"],
  ])("reads a response %s until the connection ends", async (_what, text) => {
    const port = await listen((socket) => socket.end(text));
    expect(await responseOf(ask(port))).toEqual([200, "abc"]);
  });

  test("reads no more than its limit", async () => {
    const port = await listen((socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5000)}`));
    expect(await responseOf(ask(port))).toEqual([200, "x".repeat(1000)]);
  });

  test("reads a response in many pieces", async () => {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n${"x".repeat(300)}`;
    const port = await listen((socket) => void trickle(socket, text));
    expect(await responseOf(ask(port, {}, AbortSignal.timeout(60_000)))).toEqual([200, "x".repeat(300)]);
  });

  test("fails if the response is not HTTP", async () => {
    const port = await listen((socket) => socket.write("SSH-2.0-OpenSSH\r\n"));
    expect(await ask(port)).toMatchObject({ kind: "failed", stage: "response", code: expect.stringContaining("HPE_") });
  });

  test("sends nothing to an untrusted peer if trust is required", async () => {
    const { port, requests } = await secureWeb();
    const result = await ask(port, { secure: true, requiresTrust: true });
    expect(result).toEqual({ kind: "failed", stage: "tls", code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(requests()).toBe(0);
  });

  test.each([
    ["a.example", true],
    ["b.example", false],
  ])("reports the certificate of a peer that is addressed as %s", async (hostname, namesHost) => {
    const { port } = await secureWeb();
    const peer = { authorizationError: "DEPTH_ZERO_SELF_SIGNED_CERT", namesHost };
    expect(await ask(port, { secure: true, hostname })).toMatchObject({ kind: "response", peer });
  });

  test("distinguishes a refused connection, a reset one, and a failed TLS handshake", async () => {
    expect(await ask(freePort())).toEqual({ kind: "failed", stage: "connect", code: "ECONNREFUSED" });
    const reset = await listen((socket) => socket.resetAndDestroy());
    expect(await ask(reset)).toEqual({ kind: "failed", stage: "response", code: "ECONNRESET" });
    const plain = await listen((socket) => socket.end());
    expect(await ask(plain, { secure: true })).toMatchObject({ kind: "failed", stage: "tls" });
  });

  test("is aborted by its signal, and reports the status if that has arrived", async () => {
    const over = new AbortController();
    const port = await listen(async (socket) => {
      await trickle(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
      over.abort();
    });
    const result = await ask(port, {}, over.signal);
    expect(result).toEqual({ kind: "aborted", stage: "response", statusCode: expect.anything() });
  });

  test("does not connect if its signal was aborted before", async () => {
    let connections = 0;
    const port = await listen(() => connections++);
    expect(await ask(port, {}, AbortSignal.abort())).toEqual({ kind: "aborted", stage: "connect", statusCode: null });
    expect(connections).toBe(0);
  });
});
