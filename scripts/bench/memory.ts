// What an upload of 1 GB and one of 50,000 files cost: the process's memory, and the patience of visitors meanwhile; and
// memory at rest.
//   node scripts/with-bun.mjs scripts/bench/memory.ts
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchAppliance, startExecutable, timed } from "./appliance.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));

/** Visits a page every few milliseconds until `done`, and returns the milliseconds that each visit took, sorted. */
async function visitUntil(appliance: BenchAppliance, done: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let running = true;
  done.finally(() => {
    running = false;
  });
  while (running) {
    const started = performance.now();
    await fetch(`http://127.0.0.1:${appliance.port}/`, { headers: { Host: `small.localhost:${appliance.port}` } }).then(
      (r) => r.text(),
    );
    times.push(performance.now() - started);
    await Bun.sleep(3);
  }
  return times.sort((one, other) => one - other);
}

const percentile = (times: number[], share: number) => times[Math.floor(times.length * share)]?.toFixed(2);

writeFileSync(join(folder, "index.html"), "x".repeat(4096));
timed(["zip", "-q", "small.zip", "index.html"], { cwd: folder });
// Random content in files of 100 MB, stored: the archive itself is 1 GB.
for (let part = 0; part < 10; part++)
  timed(["sh", "-c", `head -c 100000000 /dev/urandom > part-${part}.bin`], { cwd: folder });
timed(["sh", "-c", "zip -q -0 big.zip index.html part-*.bin"], { cwd: folder });

mkdirSync(join(folder, "many"));
for (let file = 0; file < 50_000; file++) writeFileSync(join(folder, "many", `page-${file}.html`), `<p>page ${file}`);
timed(["zip", "-qr", "../many.zip", "."], { cwd: join(folder, "many") });

const limits = ["--max-archive-bytes", "2GiB", "--max-site-bytes", "2GiB", "--workers", "2"];
const appliance = await startExecutable(limits);
await Bun.sleep(3000);
const idle = appliance.memory();
console.log(
  `at rest, two workers    ${idle.resident.toFixed(0)} MiB resident, ${idle.anonymous.toFixed(0)} MiB without the executable's own pages`,
);

timed(appliance.deployCommand(join(folder, "small.zip"), "small"));
const before = await visitUntil(appliance, Bun.sleep(4000));
console.log(`a visitor's 4 kB page   p50 ${percentile(before, 0.5)} ms, p99 ${percentile(before, 0.99)} ms at rest`);
await deploy("1 GB", "big.zip");
await deploy("50,000 files", "many.zip");
await appliance.stop();
rmSync(folder, { recursive: true });

/** Deploys an archive while a visitor looks at another site, and tells what it took. */
async function deploy(what: string, archive: string): Promise<void> {
  const resident = appliance.memory().resident;
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, appliance.memory().resident);
  }, 20);
  const started = performance.now();
  // The uploader is another machine in life: here it may not take the cores that the server and the visitor share.
  const upload = Bun.spawn(["nice", "-n", "19", ...appliance.deployCommand(join(folder, archive), "big")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const during = await visitUntil(appliance, upload.exited);
  clearInterval(sampling);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${what.padEnd(23)} ${seconds.toFixed(1)} s to a 201, exit status ${upload.exitCode}`);
  console.log(
    `memory while it ran     + ${(peak - resident).toFixed(0)} MiB (${resident.toFixed(0)} to ${peak.toFixed(0)})`,
  );
  console.log(
    `a visitor's 4 kB page   p50 ${percentile(during, 0.5)} ms, p99 ${percentile(during, 0.99)} ms, at most ${during.at(-1)?.toFixed(1)} ms (${during.length} visits)`,
  );
}
