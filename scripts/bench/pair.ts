import { rmSync } from "node:fs";
import { join } from "node:path";
import { median, quantile } from "../statistics.ts";
import { wrkZipf } from "./load.ts";
import { FILE_BYTES, manyFiles } from "./many-files.ts";
import { type BenchServer, timed, visitTime } from "./test-server.ts";

/** Two servers that are compared in alternating runs. */
interface Pair {
  readonly names: readonly [string, string];
  readonly servers: readonly [BenchServer, BenchServer];
}

interface Runs {
  readonly runs: number;
  /** A folder for files to deploy. */
  readonly folder: string;
}

const FILES = 5000;
/** Sites for visits, each of some pages, as small sites are. The 99th percentile of fewer would be the slowest visit. */
const SITES = 400;
const PAGES = 40;

/** Deploys 5,000 small files to each server and prints the durations. */
export function measureDeployments({ names, servers }: Pair, { runs, folder }: Runs): void {
  const times: [number[], number[]] = [[], []];
  const files = manyFiles(folder);
  for (let run = 0; run < runs; run++) {
    files.write(`run ${run}`, Array(FILES).keys());
    const archive = files.zip("all");
    for (const which of inTurn(run)) {
      timed(["sync"]);
      times[which].push(timed(servers[which].deployCommand(archive, `large-${run}`)));
    }
    rmSync(archive);
  }
  console.log(`${FILES} files of ${FILE_BYTES} bytes, medians of ${runs} alternating runs (least to most)`);
  console.log(`  ${names[0]}: ${seconds(times[0])}`);
  console.log(`  ${names[1]}: ${seconds(times[1])}, ${ratio(times[1], times[0])} x ${names[0]}`);
}

/** Deploys the sites that are visited. */
export function deploySites(server: BenchServer, folder: string): void {
  for (let site = 0; site < SITES; site++) {
    const place = join(folder, `site-${site}`);
    const files = manyFiles(place);
    files.write(`site ${site}`, Array(PAGES).keys());
    const page = join(place, "site", "section-0", "page-0.html");
    for (const name of ["index.html", "0.html"]) timed(["cp", page, join(place, "site", name)]);
    timed(server.deployCommand(files.zip("site"), `site-${site}`));
  }
}

/** Prints how long the first visit of each site takes, for which files are fetched, and the second. */
export async function measureColdVisits(server: BenchServer): Promise<void> {
  const visitAll = async () => {
    const times: number[] = [];
    for (let site = 0; site < SITES; site++) times.push(await visitTime(server.port, `site-${site}`));
    return distribution(times);
  };
  const [cold, again] = [await visitAll(), await visitAll()];
  console.log(`first visit of a site with ${PAGES} pages: ${cold}; the second: ${again}`);
}

/**
 * Prints the visits per second of processor time: how many there are in a second depends on what else the machine does.
 */
export async function measureWarmVisits({ names, servers }: Pair, runs: number, runSeconds: number): Promise<void> {
  const visits: [number[], number[]] = [[], []];
  // Until just-in-time compilation is done.
  for (const server of servers) await wrkZipf(server.port, "1", 2 * runSeconds, SITES, 1);
  for (let run = 0; run < runs; run++) {
    for (const which of inTurn(run)) {
      const server = servers[which];
      const before = server.processorTime();
      const { requestsPerSecond } = await wrkZipf(server.port, "1", runSeconds, SITES, 1);
      visits[which].push((requestsPerSecond * runSeconds) / (server.processorTime() - before));
    }
  }
  const [here, there] = visits.map((of) => median(of).toFixed(0));
  console.log(`cached visits in a second of processor time, medians of ${runs} alternating runs`);
  console.log(`  ${names[0]}: ${here}; ${names[1]}: ${there}, ${ratio(visits[1], visits[0])} x ${names[0]}`);
}

/** Returns median and 99th percentile, for people. */
export function distribution(milliseconds: readonly number[]): string {
  const at = (share: number) => quantile(milliseconds, share).toFixed(1);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

/** Returns median, least and most, for people. */
export function seconds(times: readonly number[]): string {
  return `${median(times).toFixed(3)} s (${Math.min(...times).toFixed(3)} to ${Math.max(...times).toFixed(3)})`;
}

// --- internal ---

function inTurn(run: number): readonly (0 | 1)[] {
  return run % 2 ? [1, 0] : [0, 1];
}

function ratio(one: readonly number[], other: readonly number[]): string {
  return (median(one) / median(other)).toFixed(2);
}
