// Measures how hosting scales: with a second worker, with the number of sites, over time, during compression, and with
// deployments of many files that are not cached.
//   node scripts/with-bun.mjs scripts/bench/scale.ts [--quick] [--runs 7] [--minutes 10] [--only memory]
// Needs: apt-get install -y --no-install-recommends nginx-light wrk openssl zip curl
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installDebianPackages } from "../install-packages.ts";
import { median, quantile } from "../statistics.ts";
import { wrk, wrkZipf } from "./load.ts";
import { startNginx } from "./rivals.ts";
import { compressed, deployBench, deployLarge, deployManySites, largePath, makeFolders, pageOf } from "./sites.ts";
import { type BenchServer, startExecutable, timed, visitFor } from "./test-server.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    runs: { type: "string" },
    minutes: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const runs = Number(values.runs ?? (values.quick ? 5 : 7));
const seconds = values.quick ? 1 : 3;
const minutes = Number(values.minutes ?? (values.quick ? 1 : 10));
const MANY_SITES = values.quick ? 1000 : 10_000;
const [LARGE_DEPLOYMENTS, LARGE_FILES] = values.quick ? [10, 5000] : [30, 50_000];
const COLD_VISITS_PER_SECOND = 28;
const [ZIPF_SITES, ZIPF_FILES] = values.quick ? [100, 100] : [1000, 100];

await installDebianPackages({ "nginx-light": "nginx", wrk: "wrk", openssl: "openssl", zip: "zip", curl: "curl" });
const folders = makeFolders();
try {
  const parts = {
    worker: secondWorker,
    sites: numberOfSites,
    memory: memoryOverTime,
    compressing: whileCompressing,
    cold: whileCold,
  };
  for (const [name, part] of Object.entries(parts)) if (name.includes(values.only)) await part();
} finally {
  folders.remove();
}

function page({ port }: Pick<BenchServer, "port">, cpu: string, connections = 32) {
  return wrk({ port, tls: false, path: "/", host: `bench.localhost:${port}` }, cpu, seconds, connections);
}

/**
 * Compares two workers on two cores, each core with its own load, to one worker and one load on one core. nginx runs
 * the same test, which shows how much the machine itself loses, such as through shared caches or hyper-threads.
 */
async function secondWorker(): Promise<void> {
  const ours = [
    await startExecutable(["--workers", "1"], "0"),
    await startExecutable(["--workers", "2"], "0,1"),
  ] as const;
  for (const testServer of ours) deployBench(testServer, folders);
  for (const testServer of ours) await compressed(testServer);
  const rivals = [await startNginx(folders, "0", 1), await startNginx(folders, "0,1", 2)] as const;
  const rates = [...ours, ...rivals].map((): number[] => []);
  // The first round is a warm-up.
  for (let run = 0; run <= runs; run++) {
    for (const [index, server] of [...ours, ...rivals].entries()) {
      const rate = await rateOn(server, index % 2 === 0 ? ["0"] : ["0", "1"]);
      if (run > 0) rates[index]!.push(rate);
    }
  }
  const [one = 0, two = 0, rivalsOne = 0, rivalsTwo = 0] = rates.map(median);
  const describeGain = (one: number, two: number) =>
    `${(two / one).toFixed(2)} x (${Math.round(one)} to ${Math.round(two)})`;
  console.log(
    `a second worker          ${describeGain(one, two)} requests per second (aim 1.7); nginx ${describeGain(rivalsOne, rivalsTwo)}`,
  );
  for (const server of [...ours, ...rivals]) await server.stop();
}

/**
 * Requests per second with one load on each of the cores. There are many connections, so that the kernel spreads them
 * evenly.
 */
async function rateOn(server: Pick<BenchServer, "port">, cores: readonly string[]): Promise<number> {
  const loads = await Promise.all(cores.map((core) => page(server, core, 64)));
  return loads.reduce((total, { requestsPerSecond }) => total + requestsPerSecond, 0);
}

async function numberOfSites(): Promise<void> {
  const [few, many] = [await startExecutable(["--workers", "1"], "0"), await startExecutable(["--workers", "1"], "0")];
  for (const testServer of [few, many]) deployBench(testServer, folders);
  deployManySites(many, folders, MANY_SITES, 1);
  for (const testServer of [few, many]) await compressed(testServer);
  const rates: Record<"few" | "many", number[]> = { few: [], many: [] };
  for (let run = 0; run < runs; run++) {
    rates.few.push((await page(few, "1")).requestsPerSecond);
    rates.many.push((await page(many, "1")).requestsPerSecond);
  }
  const change = (median(rates.many) / median(rates.few) - 1) * 100;
  console.log(`1 against ${MANY_SITES} sites    ${change.toFixed(1)} % requests per second (aim within 10 %)`);
  await few.stop();
  await many.stop();
}

async function memoryOverTime(): Promise<void> {
  const cache = 64;
  const testServer = await startExecutable(["--workers", "1", "--cache-bytes", `${cache}MiB`], "0");
  deployManySites(testServer, folders, ZIPF_SITES, ZIPF_FILES);
  await compressed(testServer);
  const before = testServer.memory().resident;
  let highest = 0;
  const sampling = setInterval(() => {
    highest = Math.max(highest, testServer.memory().resident);
  }, 1000);
  const { requestsPerSecond } = await wrkZipf(testServer.port, "1", minutes * 60, ZIPF_SITES, ZIPF_FILES);
  clearInterval(sampling);
  console.log(
    `Zipf for ${minutes} min           ${highest.toFixed(0)} MiB at most, ${before.toFixed(0)} before; cache of ${cache} MiB (aim below ${cache + 150}); ${Math.round(requestsPerSecond)} requests per second`,
  );
  await testServer.stop();
}

/** Uses a request rate that leaves the core idle most of the time, as on most servers. */
async function whileCompressing(): Promise<void> {
  const testServer = await startExecutable(["--workers", "1"]);
  deployBench(testServer, folders);
  await compressed(testServer);
  const folder = join(folders.root, "many");
  mkdirSync(folder);
  for (let file = 0; file < 5000; file++) writeFileSync(join(folder, `${file}.html`), pageOf(12_000, `many ${file}`));
  const archive = join(folders.root, "many.zip");
  timed(["sh", "-c", `zip -q -1 -r ${archive} .`], { cwd: folder });
  const atRest = quantile(await visitFor(testServer.port, 5000), 0.99);
  const deploying = Bun.spawn(testServer.deployCommand(archive, "many"), { stdio: ["ignore", "ignore", "inherit"] });
  const during = quantile(await visitFor(testServer.port, 15_000), 0.99);
  await deploying.exited;
  console.log(
    `4 kB page, p99           ${atRest.toFixed(2)} ms at rest, ${during.toFixed(2)} ms while 5,000 files are deployed and compressed: ${(during / atRest).toFixed(1)} x (aim 3 x)`,
  );
  await testServer.stop();
}

/**
 * Measures visits of one site while files of another site's deployments are requested. These deployments have as many
 * files as the limit allows, and none is cached. Then files are requested that none of them has.
 */
async function whileCold(): Promise<void> {
  const testServer = await startExecutable(["--workers", "1"]);
  const { port } = testServer;
  deployBench(testServer, folders);
  await deployLarge(testServer, LARGE_DEPLOYMENTS, LARGE_FILES);
  await compressed(testServer);
  const show = (times: readonly number[]) =>
    `p50 ${quantile(times, 0.5).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`;
  const before = testServer.memory().resident;
  console.log(`4 kB page at rest        ${show(await visitFor(port, 5000))}`);
  const cases = {
    [`${LARGE_DEPLOYMENTS} deployments of ${LARGE_FILES} files in turn`]: (n: number) => ({
      host: `${(n % LARGE_DEPLOYMENTS) + 1}--large`,
      path: largePath(n % LARGE_DEPLOYMENTS, (n * 7919) % LARGE_FILES),
    }),
    "former files in turn": (n: number) => ({
      host: "large",
      path: largePath(n % (LARGE_DEPLOYMENTS - 1), (n * 7919) % LARGE_FILES),
    }),
    "former files that are none": (n: number) => ({ host: "large", path: largePath(LARGE_DEPLOYMENTS, n) }),
  };
  for (const [name, targetOf] of Object.entries(cases)) {
    const statuses: Record<number, number> = {};
    let n = 0;
    const asking = setInterval(async () => {
      const { host, path } = targetOf(n++);
      const headers = { Host: `${host}.localhost:${port}` };
      const response = await fetch(`http://127.0.0.1:${port}/${path}`, { headers });
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }, 1000 / COLD_VISITS_PER_SECOND);
    const times = await visitFor(port, 10_000);
    clearInterval(asking);
    console.log(`4 kB page meanwhile      ${show(times)}, ${name} (${JSON.stringify(statuses)})`);
  }
  const grown = testServer.memory().peak - before;
  console.log(`memory for all of that   ${grown.toFixed(0)} MiB more at most`);
  await testServer.stop();
}
