import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { type ExchangeRequest, exchange } from "./exchange.ts";
import { selfSigned } from "./testing/self-signed.ts";

const never = new AbortController().signal;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function ask(port: number, wanted: Partial<ExchangeRequest> = {}, signal = never) {
  const whom = { address: "127.0.0.1", port, secure: false, hostname: "a.example" };
  const what = { method: "POST", path: "/a?b=c", headers: { Host: "a.example", "X-One": "1" }, body: "ö" };
  return exchange({ ...whom, ...what, sizeLimit: 1000, ...wanted }, signal);
}

/** Listens for connections; `talk` has the word once something was sent. */
async function listen(talk: (socket: Socket, sent: string) => void): Promise<number> {
  const server = createServer((socket) => {
    stops.push(() => socket.destroy());
    socket.on("error", () => {});
    socket.once("data", (sent) => talk(socket, sent.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close());
  return (server.address() as { port: number }).port;
}

async function secureWeb(): Promise<{ port: number; requests: () => number }> {
  let requests = 0;
  const fetch = () => new Response(String(++requests));
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch, tls: await selfSigned("a.example") });
  stops.push(() => server.stop(true));
  return { port: server.port as number, requests: () => requests };
}

/** Sends one byte after the other, each for itself, and keeps the connection. */
async function trickle(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of text) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("an exchange", () => {
  test("sends the request as it was given, with the length of its body in bytes", async () => {
    const heard = Promise.withResolvers<string>();
    const port = await listen((socket, sent) => {
      heard.resolve(sent);
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    await ask(port);
    const head = ["POST /a?b=c HTTP/1.1", "Host: a.example", "X-One: 1", "Content-Length: 2", "Connection: close"];
    expect(await heard.promise).toBe(`${head.join("\r\n")}\r\n\r\nö`);
  });

  test.each([
    ["is whole, though the connection is kept", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"],
    ["is not HTTP, though the connection is kept", "SSH-2.0-OpenSSH\r\n"],
  ])("has read an answer that %s", async (_how, answer) => {
    const port = await listen((socket) => socket.write(answer));
    const { received, ...rest } = await ask(port);
    expect(rest).toEqual({ ending: { kind: "read" }, sent: true, peer: null });
    expect(received.toString()).toBe(answer);
  });

  test.each([
    ["of no length", "HTTP/1.1 200 OK\r\n\r\nabc"],
    ["that breaks off", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["that never came", ""],
  ])("has read an answer %s once the other side has finished", async (_what, answer) => {
    const port = await listen((socket) => socket.end(answer));
    const { ending, received } = await ask(port);
    expect([ending, received.toString()]).toEqual([{ kind: "read" }, answer]);
  });

  test("reads no more than its limit", async () => {
    const answer = `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5000)}`;
    const port = await listen((socket) => socket.write(answer));
    const { ending, received } = await ask(port);
    expect([ending, received.toString()]).toEqual([{ kind: "read" }, answer.slice(0, 1000)]);
  });

  test.each([
    ["in many pieces", `HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n${"x".repeat(300)}`],
    ["in many chunks", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(60)}0\r\n\r\n`],
    ["beyond the limit", `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(1000)}`],
  ])("has read an answer that comes %s, though the connection is kept", async (_how, answer) => {
    const port = await listen((socket) => trickle(socket, answer));
    const { ending, received } = await ask(port, {}, AbortSignal.timeout(5000));
    expect([ending, received.toString()]).toEqual([{ kind: "read" }, answer.slice(0, 1000)]);
  });

  test("is refused by its judge of the certificate before anything is sent", async () => {
    const { port, requests } = await secureWeb();
    const refused = await ask(port, { secure: true, refuse: ({ authorizationError }) => authorizationError });
    const peer = { authorizationError: "DEPTH_ZERO_SELF_SIGNED_CERT", namesHost: true };
    const ending = { kind: "refused" as const, reason: peer.authorizationError };
    expect(refused).toEqual({ ending, sent: false, received: Buffer.alloc(0), peer });
    expect(requests()).toBe(0);
  });

  test("tells what the certificate names, and leaves the judgement to the caller", async () => {
    const { port } = await secureWeb();
    const { ending, peer } = await ask(port, { secure: true, hostname: "b.example" });
    expect([ending, peer?.namesHost]).toEqual([{ kind: "read" }, false]);
  });

  test("fails where nobody listens, and says that nothing was sent", async () => {
    const port = await listen(() => {});
    for (const stop of stops.splice(0)) stop();
    const { ending, sent } = await ask(port);
    expect([ending, sent]).toEqual([{ kind: "failed", code: "ECONNREFUSED" }, false]);
  });

  test("fails where the connection is reset, and says that something was sent", async () => {
    const port = await listen((socket) => socket.resetAndDestroy());
    const { ending, sent } = await ask(port);
    expect([ending, sent]).toEqual([{ kind: "failed", code: "ECONNRESET" }, true]);
  });

  test("fails where the other side leaves before there is a session, and says that nothing was sent", async () => {
    const port = await listen((socket) => socket.end());
    const { ending, sent, peer } = await ask(port, { secure: true });
    expect([ending.kind, sent, peer]).toEqual(["failed", false, null]);
  });

  test("ends with its signal, and keeps what was received", async () => {
    const over = new AbortController();
    const port = await listen(async (socket) => {
      await trickle(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
      over.abort();
    });
    const { ending, sent, received } = await ask(port, {}, over.signal);
    expect([ending, sent, received.toString()]).toEqual([
      { kind: "aborted" },
      true,
      expect.stringContaining("HTTP/1.1 200 OK"),
    ]);
  });

  test("connects to nobody after its signal", async () => {
    let connections = 0;
    const port = await listen(() => connections++);
    const { ending, sent } = await ask(port, {}, AbortSignal.abort());
    expect([ending, sent, connections]).toEqual([{ kind: "aborted" }, false, 0]);
  });
});
