// Measures uploads of 1 GB and of 50,000 files: the memory of the process, and the response time of visits before and
// during the upload; and memory at rest.
//   node scripts/with-bun.mjs scripts/bench/memory.ts [--runs 3]
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { median, quantile } from "../statistics.ts";
import { startExecutable, timed, visitTime } from "./test-server.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "3" } } });
const REST_MS = 10_000;

interface Upload {
  readonly seconds: number;
  /** Growth in MiB during the upload. */
  readonly memory: number;
  /** Milliseconds of each visit before and during the upload, sorted. */
  readonly before: readonly number[];
  readonly during: readonly number[];
}

const { path: folder } = scratchFolder();
const limits = ["--max-archive-bytes", "2GiB", "--max-site-bytes", "2GiB", "--workers", "2"];
const server = await startExecutable(limits);
await Bun.sleep(3000);
const idle = server.memory();
console.log(
  `at rest, two workers    ${idle.resident.toFixed(0)} MiB resident, ${idle.anonymous.toFixed(0)} MiB without the executable's own pages`,
);
mkdirSync(join(folder, "small"));
writeFileSync(join(folder, "small", "index.html"), "x".repeat(4096));
timed(server.deployCommand(archiveOf("small"), "small"));
await visitUntil(Bun.sleep(2000));
await report("1 GB", (run) => {
  // Files of 100 MB with random content.
  for (let part = 0; part < 10; part++)
    timed(["sh", "-c", `head -c 100000000 /dev/urandom > ${run}/part-${part}.bin`], { cwd: folder });
});
await report("50,000 files", (run) => {
  for (let file = 0; file < 50_000; file++)
    writeFileSync(join(folder, run, `page-${file}.html`), `<p>page ${file} of ${run}`);
});
await server.stop();

/** Uploads a folder that `write` creates, several times. Prints each run and the medians. */
async function report(what: string, write: (name: string) => void): Promise<void> {
  const uploads: Upload[] = [];
  for (let run = 1; run <= Number(values.runs); run++) {
    const name = `${what.replace(/\W/g, "")}-${run}`;
    mkdirSync(join(folder, name));
    write(name);
    const archive = archiveOf(name);
    rmSync(join(folder, name), { recursive: true });
    // Writes the archive back to disk first, so that the upload does not have to.
    timed(["sync"]);
    const upload = await measure(archive);
    rmSync(archive);
    uploads.push(upload);
    print(`${what}, ${run}`, upload);
  }
  const [memory, ratio] = [uploads.map((upload) => upload.memory), uploads.map(patience)].map(median);
  console.log(`${what}: + ${memory!.toFixed(0)} MiB, ${ratio!.toFixed(1)} x the 99th percentile at rest (medians)`);
}

async function measure(archive: string): Promise<Upload> {
  const before = await visitUntil(Bun.sleep(REST_MS));
  const { resident } = server.memory();
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, server.memory().resident);
  }, 20);
  const started = performance.now();
  // In production the uploader is another machine. Here it must not compete with the server and the visitor for the
  // cores.
  const command = ["nice", "-n", "19", ...server.deployCommand(archive, "big")];
  const upload = Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] });
  const during = await visitUntil(upload.exited);
  const seconds = (performance.now() - started) / 1000;
  clearInterval(sampling);
  if (upload.exitCode !== 0) throw new Error(`${command.join(" ")}: exit status ${upload.exitCode}`);
  return { seconds, memory: peak - resident, before, during };
}

function print(what: string, upload: Upload): void {
  const { before, during } = upload;
  const p = (times: readonly number[], share: number) => quantile(times, share).toFixed(2);
  console.log(
    `${what.padEnd(23)} ${upload.seconds.toFixed(1)} s to a 201, + ${upload.memory.toFixed(0)} MiB; a visitor's 4 kB page ` +
      `p50 ${p(before, 0.5)} to ${p(during, 0.5)} ms, p99 ${p(before, 0.99)} to ${p(during, 0.99)} ms ` +
      `(${patience(upload).toFixed(1)} x), at most ${during.at(-1)?.toFixed(1)} ms`,
  );
}

function patience({ before, during }: Upload): number {
  return quantile(during, 0.99) / quantile(before, 0.99);
}

/** Creates an archive of a folder without compression. */
function archiveOf(name: string): string {
  timed(["zip", "-qr0", `../${name}.zip`, "."], { cwd: join(folder, name) });
  return join(folder, `${name}.zip`);
}

/** Visits a page every few milliseconds until `done` settles. Returns the milliseconds of each visit, sorted. */
async function visitUntil(done: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let running = true;
  done.finally(() => {
    running = false;
  });
  while (running) {
    times.push(await visitTime(server.port, "small"));
    await Bun.sleep(3);
  }
  return times.sort((one, other) => one - other);
}
