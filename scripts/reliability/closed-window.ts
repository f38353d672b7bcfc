// HTTP/2 clients that request a large file on every stream and never open their windows, except for one byte every four
// seconds. Measures the server's memory and descriptors, and the response times of other visitors.
//   node scripts/with-bun.mjs scripts/reliability/closed-window.ts [--connections 10] [--streams 250] [--seconds 30]
//     [--addresses 1] [--host demo.localhost] [--path /big.bin]
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import {
  deploy,
  type ServingProcess,
  scratchFolder,
  signUp,
  startProcess,
} from "../../src/acceptance/testing/executable.ts";
import { openStreams } from "../../src/acceptance/testing/http2-frames.ts";
import { holdUntilEnd, startSlowClients, summaryOf, visitFor } from "./slow-clients.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    connections: { type: "string", default: "10" },
    streams: { type: "string", default: "250" },
    seconds: { type: "string", default: "30" },
    addresses: { type: "string", default: "1" },
    host: { type: "string", default: "demo.localhost" },
    path: { type: "string", default: "/big.bin" },
  },
});
const connections = Number(values.connections);
const streams = Number(values.streams);
const seconds = Number(values.seconds);
const addresses = Number(values.addresses);

/** The most memory that the clients of one address may cost. */
const MAX_MEBIBYTES = 150;
const MAX_DESCRIPTORS = 600;

const MIB = 1024 ** 2;
const BIG = 20 * MIB;
const DRIP_INTERVAL_MS = 4000;

if (positionals[0] === "hold") await hold(Number(positionals[1]));
else await measure();

async function measure(): Promise<void> {
  using folder = scratchFolder();
  await fill(folder.path);
  const server = await startProcess(folder.path, ["--log", "off", "--tls", "internal"]);
  await visits(server, 3);
  const [idle, alone] = [costsOf(server), await visits(server, Math.min(seconds, 10))];
  const clients = await startSlowClients(import.meta.path, [...process.argv.slice(2), "hold", `${server.port}`]);
  const watched = watchCosts(server);
  const among = await visits(server, seconds);
  const peak = watched.stop();
  const responses: unknown = JSON.parse(await clients.end());
  const more = {
    mebibytes: Math.round(peak.mebibytes - idle.mebibytes),
    descriptors: peak.descriptors - idle.descriptors,
  };
  await server.end("SIGKILL");

  const failures = [
    ...(more.mebibytes <= MAX_MEBIBYTES ? [] : [`${more.mebibytes} MiB more`]),
    ...(more.descriptors <= MAX_DESCRIPTORS ? [] : [`${more.descriptors} descriptors more`]),
    ...(among.failed === 0 ? [] : [`${among.failed} visits of others failed`]),
    ...(among.p50 < 5 + 2 * alone.p50 ? [] : [`half of the visits of others take ${among.p50} ms or more`]),
  ];
  console.log(JSON.stringify({ connections, streams, addresses, responses, more, alone, among, failures }, null, 2));
  process.exit(failures.length === 0 ? 0 : 1);
}

/** Deploys over plain HTTP, before the server speaks TLS. */
async function fill(folder: string): Promise<void> {
  const token = await signUp(folder, "ada");
  const server = await startProcess(folder, ["--log", "off"]);
  const content = (size: number) =>
    crypto
      .getRandomValues(new Uint8Array(65_536))
      .toBase64()
      .repeat(size / 65_536);
  const files = { "index.html": "<h1>home</h1>", "big.bin": content(BIG), "175k.bin": content(2 * 65_536) };
  const response = await deploy(server, token, "demo", await zipOf(files));
  if (response.status !== 201) throw new Error(await response.text());
  await server.end("SIGTERM");
}

interface Costs {
  readonly mebibytes: number;
  readonly descriptors: number;
}

function costsOf({ process: { pid } }: ServingProcess): Costs {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { mebibytes: Number(kibibytes) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** Records the highest costs until it is stopped. */
function watchCosts(server: ServingProcess): { stop(): Costs } {
  let peak = costsOf(server);
  const timer = setInterval(() => {
    const now = costsOf(server);
    peak = {
      mebibytes: Math.max(peak.mebibytes, now.mebibytes),
      descriptors: Math.max(peak.descriptors, now.descriptors),
    };
  }, 250);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

/**
 * Returns how long other visitors wait, in milliseconds, and the lowest rate at which one of them gets a file, in MB/s.
 */
async function visits({ port }: ServingProcess, duration: number) {
  const times: number[] = [];
  const speeds: number[] = [];
  const get = (path: string) => () =>
    fetch(`https://127.0.0.1:${port}${path}`, {
      headers: { Host: `demo.localhost:${port}` },
      tls: { rejectUnauthorized: false },
    });
  const failed = await Promise.all([
    ...[1, 2].map(() => visitFor(duration, get("/"), (time) => times.push(time))),
    visitFor(duration, get("/big.bin"), (time, bytes) => speeds.push(bytes / 1000 / time)),
  ]);
  return {
    ...summaryOf(times),
    failed: failed.reduce((total, count) => total + count, 0),
    megabytesPerSecond: Math.round(Math.min(...speeds)),
  };
}

// --- those who keep their windows closed ---

async function hold(port: number): Promise<void> {
  const target = { port, authority: `${values.host}:${port}`, path: values.path };
  const held = Array.from({ length: connections }, (_, index) =>
    openStreams({ ...target, streams, localAddress: `127.0.0.${2 + (index % addresses)}` }),
  );
  setInterval(() => {
    for (const { widen } of held) widen(1);
  }, DRIP_INTERVAL_MS);
  await Bun.sleep(1000);
  const sum = (count: "served" | "refused" | "bytes") =>
    held.reduce((total, { responses }) => total + responses[count], 0);
  holdUntilEnd(() => JSON.stringify({ served: sum("served"), refused: sum("refused"), bytes: sum("bytes") }));
}
