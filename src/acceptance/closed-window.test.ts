import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:http2";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { deploy, type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";
import { openStreams } from "./testing/http2-frames.ts";
import { waitUntil } from "./testing/wait-until.ts";

const { afterAll, beforeAll, test } = needing("proc", "curl");

const big = crypto.getRandomValues(new Uint8Array(4_000_000));
const folder = scratchFolder();
let server: ServingProcess;

beforeAll(async () => {
  const token = await signUp(folder.path, "ada");
  const plain = await startProcess(folder.path, ["--log", "off"]);
  expect((await deploy(plain, token, "demo", await zipOf({ "index.html": "home", "big.bin": big }))).status).toBe(201);
  // Otherwise the server below makes the report, in a thread whose memory and files would be measured.
  const headers = { Authorization: `Bearer ${token}` };
  const report = async () => {
    const response = await plain.fetch("/sites/demo/deployments/1/report?wait=60", { headers });
    return (await response.json()) as { status: string };
  };
  await waitUntil(report, ({ status }) => status === "ready");
  await plain.end("SIGTERM");
  // Room for 32 streams. One address gets 16 of them, in all threads together.
  const flags = ["--log", "off", "--tls", "internal", "--answer-bytes", "2MiB"];
  // The story measures memory, which the processes of tests may keep otherwise.
  server = await startProcess(folder.path, flags, { MIMALLOC_PURGE_HOLES: undefined, MIMALLOC_PURGE_DELAY: undefined });
});
afterAll(async () => {
  await server?.end("SIGKILL");
  folder[Symbol.dispose]();
});

const target = (path: string, localAddress: string) => {
  const authority = `demo.localhost:${server.port}`;
  return { port: server.port, authority, path, streams: 100, localAddress };
};

function residentMebibytes(): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}

const descriptors = () => readdirSync(`/proc/${server.process.pid}/fd`).length;

/** A visit over HTTP/2 from 127.0.0.1. */
async function visit(path: string): Promise<[status: number, body: Buffer]> {
  const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  const request = session.request({ ":path": path, ":authority": `demo.localhost:${server.port}` });
  const status = new Promise<number>((resolve) =>
    request.on("response", (fields) => resolve(Number(fields[":status"]))),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  session.close();
  return [await status, Buffer.concat(chunks)];
}

test("clients that read nothing keep no file open, and get a limited number of responses", async () => {
  const before = descriptors();
  const held = Array.from({ length: 4 }, () => openStreams(target("/big.bin", "127.0.0.2")));
  await Promise.all(held.map(({ answered }) => answered));
  const sum = (count: "served" | "refused") => held.reduce((total, { responses }) => total + responses[count], 0);
  expect(sum("served")).toBeWithin(1, 18);
  expect(sum("served") + sum("refused")).toBe(400);
  expect(descriptors() - before).toBeLessThan(20);

  for (let time = 0; time < 3; time++) {
    const [status, body] = await visit("/big.bin");
    expect([status, body.equals(big)]).toEqual([200, true]);
  }
  expect((await visit("/"))[1].toString()).toBe("home");

  for (const { close } of held) close();
  // Threads check about once per second which responses have ended.
  for (let served = 0; served === 0; ) {
    const again = openStreams(target("/big.bin", "127.0.0.2"));
    await again.answered;
    again.close();
    served = again.responses.served;
  }
});

test("identical responses share their memory, however many are unread", async () => {
  const document = (localAddress: string) => ({
    ...target("/openapi.json", localAddress),
    authority: `localhost:${server.port}`,
  });
  const first = openStreams({ ...document("127.0.0.4"), streams: 1 });
  await first.answered;
  const before = residentMebibytes();
  const held = Array.from({ length: 10 }, () => openStreams(document("127.0.0.4")));
  await Promise.all(held.map(({ answered }) => answered));
  expect(held.every(({ responses }) => responses.served === 100)).toBe(true);
  // A thousand copies would take 140 MB.
  expect(residentMebibytes() - before).toBeLessThan(70);
  for (const { close } of [first, ...held]) close();
});

test("an HTTP/1.1 client gets the length of a large file", async () => {
  const response = await fetch(`https://127.0.0.1:${server.port}/big.bin`, {
    headers: { Host: `demo.localhost:${server.port}`, Connection: "keep-alive" },
    tls: { rejectUnauthorized: false },
  });
  expect(response.headers.get("content-length")).toBe("4000000");
  expect(Buffer.from(await response.bytes()).equals(big)).toBe(true);
});

test("a client with a small window gets no more than the window allows", async () => {
  const held = openStreams({ ...target("/big.bin", "127.0.0.3"), streams: 2 });
  await held.answered;
  held.widen(1);
  held.widen(60_000);
  while (held.responses.bytes < 2 * 60_001) await Bun.sleep(5);
  expect(held.responses.bytes).toBe(2 * 60_001);
  held.close();
});

test("a client that reads everything does not wait between parts", async () => {
  const host = `demo.localhost:${server.port}`;
  const args = ["-sk", "--connect-to", `${host}:127.0.0.1:${server.port}`, `https://${host}/big.bin`];
  const durationOf = async (version: string) => {
    const started = performance.now();
    const curl = Bun.spawn(["curl", version, ...args], { stdout: "pipe" });
    expect(Buffer.from(await new Response(curl.stdout).bytes()).equals(big)).toBe(true);
    return performance.now() - started;
  };
  // It took more than two seconds when each quarter of a megabyte waited for the next event. A busy machine is slow over
  // HTTP/1.1 too, where nothing waits.
  while ((await durationOf("--http2")) > 1500 + (await durationOf("--http1.1")));
});
