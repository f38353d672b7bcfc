// Measures files of sites in S3, Ceph's on this machine, against the data folder: deployments of 5,000 small files in
// alternating runs, visits of a site that is not cached, and visits of cached files.
//   node scripts/with-bun.mjs scripts/bench/content.ts [--runs 5] [--seconds 5]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startCeph } from "../../src/clients/s3/testing/ceph.ts";
import { wrkZipf } from "./load.ts";
import { FILE_BYTES, manyFiles } from "./many-files.ts";
import { type BenchServer, median, startExecutable, timed, visitTime } from "./test-server.ts";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { runs: { type: "string", default: "5" }, seconds: { type: "string", default: "5" } },
});
const runs = Number(values.runs);
const FILES = 5000;
/** Sites for visits, each of some pages, as small sites are. */
const SITES = 60;
const PAGES = 40;

const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
const inS3 = join(folder, "in-s3");
const ceph = await startCeph();
const { address } = await ceph.newBucket("bench");
process.env.VITRINE_S3_ACCESS_KEY_ID = ceph.keys.accessKeyId;
process.env.VITRINE_S3_SECRET_ACCESS_KEY = ceph.keys.secretAccessKey;
const startInS3 = () => startExecutable(["--content", address], undefined, inS3);

try {
  const servers = { folder: await startExecutable(), s3: await startInS3() };
  await measureDeployments(servers);
  deploySites(servers.folder);
  deploySites(servers.s3);
  await servers.s3.stop();
  rmSync(join(inS3, "cache"), { recursive: true });
  servers.s3 = await startInS3();
  await measureColdVisits(servers.s3);
  await measureWarmVisits(servers);
  await Promise.all([servers.folder.stop(), servers.s3.stop()]);
} finally {
  ceph.stop();
  rmSync(folder, { recursive: true, force: true });
}

// --- internal ---

type Servers = Record<"folder" | "s3", BenchServer>;

async function measureDeployments(servers: Servers): Promise<void> {
  const times = { folder: [] as number[], s3: [] as number[] };
  const files = manyFiles(folder);
  for (let run = 0; run < runs; run++) {
    files.write(`run ${run}`, Array(FILES).keys());
    const archive = files.zip("all");
    const order = ["folder", "s3"] as const;
    for (const kind of run % 2 ? order.toReversed() : order) {
      timed(["sync"]);
      times[kind].push(timed(servers[kind].deployCommand(archive, `large-${run}`)));
    }
    rmSync(archive);
  }
  console.log(`${FILES} files of ${FILE_BYTES} bytes, medians of ${runs} alternating runs (least to most)`);
  console.log(`data folder   ${seconds(times.folder)}`);
  console.log(`S3            ${seconds(times.s3)}   ${ratio(times.s3, times.folder)} x the data folder`);
}

function deploySites(server: BenchServer): void {
  for (let site = 0; site < SITES; site++) {
    const files = manyFiles(join(folder, `site-${site}`));
    files.write(`site ${site}`, Array(PAGES).keys());
    for (const name of ["index.html", "0.html"]) timed(["cp", page(site), join(folder, `site-${site}`, "site", name)]);
    timed(server.deployCommand(files.zip("site"), `site-${site}`));
  }
}

function page(site: number): string {
  return join(folder, `site-${site}`, "site", "section-0", "page-0.html");
}

/** The first visit of each site, whose pack is fetched. */
async function measureColdVisits(server: BenchServer): Promise<void> {
  const cold: number[] = [];
  for (let site = 0; site < SITES; site++) cold.push(await visitTime(server.port, `site-${site}`));
  const again: number[] = [];
  for (let site = 0; site < SITES; site++) again.push(await visitTime(server.port, `site-${site}`));
  console.log(`first visit of a site with ${PAGES} pages: ${distribution(cold)}; the second: ${distribution(again)}`);
}

/** By the processor's time of the server: how many visits a second there are depends on what else the machine does. */
async function measureWarmVisits(servers: Servers): Promise<void> {
  const visits = { folder: [] as number[], s3: [] as number[] };
  for (let run = 0; run < runs; run++) {
    for (const kind of ["folder", "s3"] as const) {
      const before = servers[kind].processorTime();
      const { requestsPerSecond } = await wrkZipf(servers[kind].port, "1", Number(values.seconds), SITES, 1);
      visits[kind].push((requestsPerSecond * Number(values.seconds)) / (servers[kind].processorTime() - before));
    }
  }
  const [here, there] = [median(visits.folder), median(visits.s3)];
  console.log(`cached visits in a second of processor time: ${here.toFixed(0)} data folder, ${there.toFixed(0)} S3`);
  console.log(`                                             ${(there / here).toFixed(2)} x the data folder`);
}

function distribution(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((one, other) => one - other);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
  return `median ${median(sorted).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

function seconds(times: readonly number[]): string {
  return `${median(times).toFixed(3)} s (${Math.min(...times).toFixed(3)} to ${Math.max(...times).toFixed(3)})`;
}

function ratio(one: readonly number[], other: readonly number[]): string {
  return (median(one) / median(other)).toFixed(2);
}
