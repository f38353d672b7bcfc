// Mixed traffic and deployments for half an hour: the memory's slope, the open descriptors, and every answer that no
// healthy server gives.
//   node scripts/with-bun.mjs scripts/reliability/soak.ts [MINUTES, 30 unless told] [WARM-UP MINUTES, a third unless told] [LOAD, 1 unless told]
// The load is paced, so that machines of any speed are asked for the same: about 200 requests and 4 changes a second,
// or so many times as much; and four times that in the warm-up, which takes requests rather than time. Every few minutes
// it rests, and what the server keeps then tells of leaks: under load, garbage makes a saw that hides a few megabytes.
// Minutes and hours are those under load.
import { readdirSync, readFileSync } from "node:fs";
import type { Actor } from "../../src/acceptance/testing/actor.ts";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import {
  deploy,
  type ServingProcess,
  scratchFolder,
  signUp,
  startProcess,
} from "../../src/acceptance/testing/executable.ts";
import { fourActors, markedArchives } from "../../src/acceptance/testing/kill.ts";
import { trend } from "./trend.ts";

const minutes = Number(process.argv[2] ?? 30);
const warmUp = Number(process.argv[3] ?? minutes / 3);
const load = Number(process.argv[4] ?? 1);
const VISITORS = 8;
const PAUSE_OF_VISITOR = 40;
const PAUSE_OF_ACTOR = 1000;
const WARM_UP_LOAD = 4;
const SAMPLE_EVERY = 1000;
const REST_EVERY = 2 * 60_000;
/** A server at rest has collected all garbage after half a minute. */
const REST = 45_000;
/** What is kept of a small deployment is 2 kB of 24 MiB in each thread. */
const SMALL_DEPLOYMENTS = 20_000;

interface Sample {
  /** Hours under load. */
  readonly at: number;
  /** Megabytes that are the process's own: what it has mapped of files comes and goes with the system's cache. */
  readonly own: number;
  readonly resident: number;
  readonly descriptors: number;
}

using folder = scratchFolder();
const dataDir = `${folder.path}/data`;
const token = await signUp(dataDir, "ada");
// Garbage makes a saw as high as a share of what is kept: with little in the cache, what leaks shows sooner.
const server = await startProcess(dataDir, ["--log", "off", "--cache-bytes", "16MiB"]);
await deployFixedSites();
await fillCaches();

const REQUESTS = requests(server);
const answers: Record<string, number> = {};
const complaints: string[] = [];
const began = performance.now();
/** Milliseconds without load since then. */
let rested = 0;
let resting = Promise.resolve();
console.error(`the caches are full: ${describe(sample())}`);
let stopped = false;
const working = [
  ...fourActors(token, await markedArchives(12)).map(work),
  ...Array.from({ length: VISITORS }, (_, visitor) => visit(visitor)),
];
const samples: Sample[] = [];
const atRest: Sample[] = [];
while (hours() * 60 < minutes) {
  for (let waited = 0; waited < REST_EVERY; waited += SAMPLE_EVERY) {
    await Bun.sleep(SAMPLE_EVERY);
    samples.push(sample());
  }
  console.error(describe(samples.at(-1) as Sample));
  atRest.push(await rest());
  console.error(`at rest: ${describe(atRest.at(-1) as Sample)}`);
}
stopped = true;
await Promise.all(working);
server.process.kill("SIGTERM");
if ((await server.process.exited) !== 0) complaints.push("the server did not end well");
report();

// --- the load ---

async function deployFixedSites(): Promise<void> {
  const page = "<!doctype html><title>Soak</title>".padEnd(20_000, "lorem ipsum ");
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p/${index}.html`, `${index} ${page}`]));
  const big = new Uint8Array(1_000_000).fill(7);
  await deploy(
    server,
    token,
    "fixed",
    await zipOf({ "index.html": page, "404.html": "not here", "big.bin": big, ...files }),
  );
  await deploy(server, token, "hidden", await zipOf({ "index.html": page }));
  await server.fetch("/sites/hidden/access", {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ private: true }),
  });
}

/** Caches grow until they are full, which takes hours of usual traffic: then only what leaks makes the memory grow. */
async function fillCaches(): Promise<void> {
  const small = Array.from({ length: 25_000 }, (_, index) => [`s/${index}.txt`, ""]);
  const pages = Array.from({ length: 2500 }, (_, index) => [
    `${index}.html`,
    `${index}`.padEnd(20_000, " full of words"),
  ]);
  const archive = await zipOf(Object.fromEntries([...small, ...pages]));
  for (let deployment = 1; deployment <= 4; deployment++) {
    await deploy(server, token, "full", archive);
    // Each thread keeps what was asked for more than once; connections that are new reach all of them.
    for (let page = 0; page < pages.length; page += 25) {
      const paths = Array.from({ length: 25 }, (_, index) => `/${page + index}`);
      const headers = { Connection: "close" };
      await Promise.all(paths.map(async (path) => (await server.fetch(path, { site: "full", headers })).arrayBuffer()));
    }
  }
  await fillWithDeployments();
}

/** Every deployment that was looked at is kept in mind, until there is no room for more. */
async function fillWithDeployments(): Promise<void> {
  const archive = await zipOf({ "index.html": "small" });
  for (let first = 1; first <= SMALL_DEPLOYMENTS; first += 10) {
    const numbers = Array.from({ length: 10 }, (_, index) => first + index);
    await Promise.all(numbers.map(() => deploy(server, token, "small", archive)));
    const visits = numbers.flatMap((number) => Array.from({ length: 4 }, () => `${number}--small`));
    await Promise.all(
      visits.map(async (site) => (await server.fetch("/", { site, headers: { Connection: "close" } })).arrayBuffer()),
    );
  }
}

/** Stops the load for a while; resolves with what the server keeps then. */
async function rest(): Promise<Sample> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = performance.now();
  resting = promise;
  await Bun.sleep(REST);
  rested += performance.now() - start;
  const kept = sample();
  resolve();
  return kept;
}

async function work(actor: Actor): Promise<void> {
  while (!stopped) {
    await resting;
    const status = await actor.change(server);
    note(`change ${status}`, status ?? 0);
    actor.forget();
    await Bun.sleep(paced(PAUSE_OF_ACTOR));
  }
}

async function visit(visitor: number): Promise<void> {
  for (let turn = visitor; !stopped; turn++) {
    await resting;
    const [name, ask] = REQUESTS[turn % REQUESTS.length] as Request;
    const response = await ask(turn).catch(() => null);
    await response?.arrayBuffer().catch(() => {});
    if (name !== "an upload that is given up") note(`${name} ${response?.status}`, response?.status ?? 0);
    await Bun.sleep(paced(PAUSE_OF_VISITOR));
  }
}

function paced(pause: number): number {
  return pause / (hours() * 60 < warmUp ? WARM_UP_LOAD * load : load);
}

function note(answer: string, status: number): void {
  answers[answer] = (answers[answer] ?? 0) + 1;
  if ((status === 0 || status >= 500) && complaints.length < 100) {
    complaints.push(`after ${(hours() * 60).toFixed(1)} minutes: ${answer}`);
  }
}

type Request = readonly [name: string, ask: (turn: number) => Promise<Response>];

function requests(to: ServingProcess): readonly Request[] {
  const owner = { Authorization: `Bearer ${token}` };
  const site = "fixed";
  const page = (turn: number) => `/p/${turn % 200}`;
  const upload = (body: FormData, signal?: AbortSignal) =>
    to.fetch("/deploy", { method: "POST", headers: owner, body, ...(signal ? { signal } : {}) });
  return [
    ["page", (turn) => to.fetch(page(turn), { site })],
    ["encoded page", (turn) => to.fetch(page(turn), { site, headers: { "Accept-Encoding": "br, gzip" } })],
    ["page of a site that changes", () => to.fetch("/0", { site: "activated" })],
    ["unchanged page", (turn) => to.fetch(page(turn), { site, headers: { "If-None-Match": "*" } })],
    ["part of a page", (turn) => to.fetch(page(turn), { site, headers: { Range: "bytes=10-99" } })],
    ["big file", () => to.fetch("/big.bin", { site })],
    ["nothing", (turn) => to.fetch(`/nothing/${turn}`, { site })],
    ["deployment", () => to.fetch("/", { site: "1--fixed" })],
    ["private site", () => to.fetch("/", { site: "hidden" })],
    ["unknown host", (turn) => to.fetch("/", { site: `nobody-${turn % 1000}` })],
    ["sites", () => to.fetch("/sites", { headers: owner })],
    ["deployments", () => to.fetch("/sites/deployed/deployments", { headers: owner })],
    ["analytics", () => to.fetch("/sites/fixed/analytics", { headers: owner })],
    ["archive", () => to.fetch("/sites/hidden/deployments/1/archive", { headers: owner })],
    ["dashboard", () => to.fetch("/", { headers: { Accept: "text/html" } })],
    ["health", () => to.fetch("/health")],
    ["wrong token", () => to.fetch("/sites", { headers: { Authorization: "Bearer vts_wrong" } })],
    ["broken upload", () => upload(formWith("no archive"))],
    ["an upload that is given up", () => upload(formWith("x".repeat(500_000)), AbortSignal.timeout(2))],
  ];
}

function formWith(content: string): FormData {
  const form = new FormData();
  form.set("file", new Blob([content]), "site.zip");
  return form;
}

// --- what is looked at ---

function hours(): number {
  return (performance.now() - began - rested) / 3_600_000;
}

function sample(): Sample {
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return {
    at: hours(),
    own: megabytes("RssAnon"),
    resident: megabytes("VmRSS"),
    descriptors: readdirSync(`/proc/${server.process.pid}/fd`).length,
  };
}

function describe({ at, own, resident, descriptors }: Sample): string {
  const memory = `${own.toFixed(1)} MB own, ${resident.toFixed(1)} MB resident`;
  return `${(at * 60).toFixed(0)} minutes: ${memory}, ${descriptors} descriptors, ${complaints.length} complaints`;
}

function report(): void {
  const settled = (of: readonly Sample[]) => of.filter(({ at }) => at * 60 >= warmUp);
  const memory = trend(settled(atRest).map(({ at, own }) => [at, own]));
  const underLoad = trend(settled(samples).map(({ at, own }) => [at, own]));
  const descriptors = trend(settled(samples).map(({ at, descriptors }) => [at, descriptors]));
  // A slope that could as well be none is no complaint of its own: a longer run tells.
  if (memory.slope - memory.uncertainty > 1) complaints.push(`memory grows by ${memory.slope} MB an hour`);
  if (descriptors.last - descriptors.first > 5) complaints.push("descriptors are not given back");
  const requests = Object.values(answers).reduce((sum, count) => sum + count, 0);
  console.log(
    JSON.stringify({ minutes, warmUp, requests, answers, memory, underLoad, descriptors, complaints }, null, 2),
  );
  process.exit(complaints.length === 0 ? 0 : 1);
}
