import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;
let token: string;
let archive: Uint8Array;

beforeAll(async () => {
  vitrine = await startTestServer({ tls: "internal", workers: "2" });
  token = (await vitrine.signUp("ada")).token;
  archive = await zipOf({ "index.html": "hello" });
});
afterAll(() => vitrine[Symbol.asyncDispose]());

/** Opens a stream on a new connection, which the kernel assigns to one of the threads. */
function open(session = token): Promise<Response> {
  return vitrine.call("GET", "/events", { token: session, headers: { Connection: "close" } });
}

async function upTo(response: Response, wanted: string): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body!) {
    text += decoder.decode(part as Uint8Array);
    if (text.includes(wanted)) return text;
  }
  return text;
}

test("a deployment on one thread reaches the streams of every thread", async () => {
  const streams = await Promise.all(Array.from({ length: 8 }, () => open()));
  expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await vitrine.deploy(token, archive, { site: "blog" })).status).toBe(201);
  const texts = await Promise.all(streams.map((stream) => upTo(stream, "deployment.published")));
  for (const text of texts) expect(text).toContain('data: {"site":"blog","deployment_number":1}\n\n');
});

test("a disconnected client frees its slot", async () => {
  const { token: session } = await vitrine.signUp("grace");
  for (let round = 0; round < 3; round++) {
    const aborts = Array.from({ length: 10 }, () => new AbortController());
    const { port } = vitrine.config.listen;
    const streams = await Promise.all(
      aborts.map(({ signal }) =>
        retried(() =>
          fetch(`https://127.0.0.1:${port}/events`, {
            signal,
            keepalive: false,
            headers: { Authorization: `Bearer ${session}`, Host: "localhost" },
            tls: { rejectUnauthorized: false },
          }),
        ),
      ),
    );
    expect(streams.map(({ status }) => status)).toEqual(Array(10).fill(200));
    for (const abort of aborts) abort.abort();
  }
});

/** The server notices a closed connection a moment later. */
async function retried(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status !== 429) return response;
    await response.text();
  }
}

needing("curl").test("a stream works over HTTP/2", async () => {
  const { port } = vitrine.config.listen;
  const url = `https://localhost:${port}/events`;
  const curl = Bun.spawn([
    "curl",
    "-skN",
    "--http2",
    "-w",
    "%{http_version}",
    "-H",
    `Authorization: Bearer ${token}`,
    url,
  ]);
  const decoder = new TextDecoder();
  let text = "";
  let isDeployed = false;
  for await (const part of curl.stdout) {
    text += decoder.decode(part);
    if (!isDeployed && text.includes("id:")) {
      isDeployed = true;
      expect((await vitrine.deploy(token, archive, { site: "blog" })).status).toBe(201);
    }
    if (text.includes("deployment.published")) break;
  }
  expect(text).toContain('"site":"blog"');
  curl.kill("SIGINT");
  await curl.exited;
});

test("a stopping server ends its streams at once, and clients miss none of its changes", async () => {
  const plain = await startTestServer({ workers: "1" });
  const { token: session } = await plain.signUp("ada");
  const stream = await plain.call("GET", "/events", { token: session });
  const half = halfClosed(plain.config.listen.port, session);
  const [text] = await Promise.all([upTo(stream, "never"), half.opened.then(() => plain[Symbol.asyncDispose]())]);
  expect(text).toMatch(/^retry: \d+\n:\nid: \d+\n\n$/);
  half.end();
});

/** A client that sends nothing more but keeps reading. */
function halfClosed(port: number, session: string) {
  const opened = Promise.withResolvers<void>();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
    socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session}\r\n\r\n`);
  });
  socket.once("data", () => {
    socket.end();
    opened.resolve();
  });
  socket.on("error", () => {});
  return { opened: opened.promise, end: () => socket.destroy() };
}
