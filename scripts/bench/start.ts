// Measures how soon a server with 1,000 sites and 100,000 files responds to GET /health.
//   node scripts/with-bun.mjs scripts/bench/start.ts [--runs 7]
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { freePort } from "../../src/testing/free-port.ts";
import { median } from "../statistics.ts";
import { responds, serveCommand, startExecutable, timed } from "./test-server.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "7" } } });
const { path: folder } = scratchFolder();
const { path: dataDir } = scratchFolder();
const SITES = 1000;
const FILES = 100;

console.error(`making ${SITES} sites of ${FILES} files ...`);
const filling = await startExecutable([], undefined, { dataDir });
for (let site = 0; site < SITES; site++) {
  const archive = join(folder, `${site}.zip`);
  for (let file = 0; file < FILES; file++) writeFileSync(join(folder, `${file}.html`), `<p>${site} ${file}</p>`);
  timed(["sh", "-c", `zip -q ${archive} *.html`], { cwd: folder });
  timed(filling.deployCommand(archive, `site-${site}`));
  rmSync(archive);
}
await filling.stop();

const times: number[] = [];
for (let run = 0; run < Number(values.runs); run++) {
  const port = freePort();
  const command = serveCommand(dataDir, port, ["--workers", "2"]);
  const started = performance.now();
  const server = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
  await responds(`http://127.0.0.1:${port}/health`);
  times.push(performance.now() - started);
  server.kill("SIGTERM");
  await server.exited;
}
console.log(
  `${SITES} sites, ${SITES * FILES} files: GET /health answered ${median(times).toFixed(0)} ms after the start (median of ${times.length}; ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`,
);
