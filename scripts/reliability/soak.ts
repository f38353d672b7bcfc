// Runs mixed traffic and deployments for half an hour. Measures the growth of memory, the open descriptors, and every
// unexpected response.
//   node scripts/with-bun.mjs scripts/reliability/soak.ts [MINUTES; default 30] [WARM-UP MINUTES; default a third]
//   [LOAD; default 1]
// The load is paced, so that it is the same on every machine: about 200 requests and 4 changes per second, times LOAD,
// and four times that during the warm-up. Every few minutes the load pauses, and memory at rest shows leaks. Under
// load, garbage collection varies by more than a few megabytes. Minutes and hours are those under load.
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
const VISITOR_PAUSE_MS = 40;
const ACTOR_PAUSE_MS = 1000;
const WARM_UP_LOAD = 4;
const SAMPLE_INTERVAL_MS = 1000;
const REST_INTERVAL_MS = 2 * 60_000;
/** A server at rest has collected all garbage after half a minute. */
const REST_MS = 45_000;
/** A cached small deployment takes 2 kB of 24 MiB in each thread. */
const SMALL_DEPLOYMENTS = 20_000;

interface Sample {
  /** Hours under load. */
  readonly at: number;
  /** Private memory in MB. Mapped files are excluded, because the system evicts them as it likes. */
  readonly own: number;
  readonly resident: number;
  readonly descriptors: number;
}

using folder = scratchFolder();
const dataDir = `${folder.path}/data`;
const token = await signUp(dataDir, "ada");
// Garbage is proportional to the live memory. A small cache makes leaks visible sooner.
const server = await startProcess(dataDir, ["--log", "off", "--cache-bytes", "16MiB"]);
await deployFixedSites();
await fillCaches();

const REQUESTS = requests(server);
const responses: Record<string, number> = {};
const failures: string[] = [];
const began = performance.now();
/** Total milliseconds without load. */
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
  for (let waited = 0; waited < REST_INTERVAL_MS; waited += SAMPLE_INTERVAL_MS) {
    await Bun.sleep(SAMPLE_INTERVAL_MS);
    samples.push(sample());
  }
  console.error(describe(samples.at(-1) as Sample));
  atRest.push(await rest());
  console.error(`at rest: ${describe(atRest.at(-1) as Sample)}`);
}
stopped = true;
await Promise.all(working);
if ((await server.end("SIGTERM")) !== 0) failures.push("the server did not end well");
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

/** Fills the caches, which takes hours of usual traffic. After that, only leaks make the memory grow. */
async function fillCaches(): Promise<void> {
  const small = Array.from({ length: 25_000 }, (_, index) => [`s/${index}.txt`, ""]);
  const pages = Array.from({ length: 2500 }, (_, index) => [
    `${index}.html`,
    `${index}`.padEnd(20_000, " full of words"),
  ]);
  const archive = await zipOf(Object.fromEntries([...small, ...pages]));
  for (let deployment = 1; deployment <= 4; deployment++) {
    await deploy(server, token, "full", archive);
    // Each thread caches what was requested more than once. New connections reach all threads.
    for (let page = 0; page < pages.length; page += 25) {
      const paths = Array.from({ length: 25 }, (_, index) => `/${page + index}`);
      const headers = { Connection: "close" };
      await Promise.all(paths.map(async (path) => (await server.fetch(path, { site: "full", headers })).arrayBuffer()));
    }
  }
  await fillWithDeployments();
}

/** Visits deployments until the cache of deployments is full. */
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

/** Pauses the load. Resolves with the memory at rest. */
async function rest(): Promise<Sample> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = performance.now();
  resting = promise;
  await Bun.sleep(REST_MS);
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
    await Bun.sleep(paced(ACTOR_PAUSE_MS));
  }
}

async function visit(visitor: number): Promise<void> {
  for (let turn = visitor; !stopped; turn++) {
    await resting;
    const [name, ask] = REQUESTS[turn % REQUESTS.length] as Request;
    const response = await ask(turn).catch(() => null);
    await response?.arrayBuffer().catch(() => {});
    if (name !== "an upload that is given up") note(`${name} ${response?.status}`, response?.status ?? 0);
    await Bun.sleep(paced(VISITOR_PAUSE_MS));
  }
}

function paced(pause: number): number {
  return pause / (hours() * 60 < warmUp ? WARM_UP_LOAD * load : load);
}

function note(response: string, status: number): void {
  responses[response] = (responses[response] ?? 0) + 1;
  if ((status === 0 || status >= 500) && failures.length < 100) {
    failures.push(`after ${(hours() * 60).toFixed(1)} minutes: ${response}`);
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
  return `${(at * 60).toFixed(0)} minutes: ${memory}, ${descriptors} descriptors, ${failures.length} failures`;
}

function report(): void {
  const settled = (of: readonly Sample[]) => of.filter(({ at }) => at * 60 >= warmUp);
  const memory = trend(settled(atRest).map(({ at, own }) => [at, own]));
  const underLoad = trend(settled(samples).map(({ at, own }) => [at, own]));
  const descriptors = trend(settled(samples).map(({ at, descriptors }) => [at, descriptors]));
  // A slope within the uncertainty is no failure. A longer run would show it.
  if (memory.slope - memory.uncertainty > 1) failures.push(`memory grows by ${memory.slope} MB an hour`);
  if (descriptors.last - descriptors.first > 5) failures.push("descriptors are not given back");
  const requests = Object.values(responses).reduce((sum, count) => sum + count, 0);
  console.log(
    JSON.stringify({ minutes, warmUp, requests, responses, memory, underLoad, descriptors, failures }, null, 2),
  );
  process.exit(failures.length === 0 ? 0 : 1);
}
