// Measures a deployment of 5,000 small files (60 MB unpacked) against `unzip` and `sync` of the same archive in
// alternating runs, then a second deployment with 10 changed files.
//   node scripts/with-bun.mjs scripts/bench/deploy.ts [--runs 7]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { median } from "../statistics.ts";
import { FILE_BYTES, manyFiles } from "./many-files.ts";
import { seconds } from "./pair.ts";
import { startExecutable, timed } from "./test-server.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "7" } } });
const runs = Number(values.runs);
const FILES = 5000;

const { path: folder } = scratchFolder();
const { write: writeFiles, zip } = manyFiles(folder);

const server = await startExecutable();
const deploying: number[] = [];
const changing: number[] = [];
const unzipping: number[] = [];

for (let run = 0; run < runs; run++) {
  writeFiles(`run ${run}`, Array(FILES).keys());
  const all = zip(`all-${run}`);
  writeFiles(`change ${run}`, Array(10).keys());
  const changed = zip(`changed-${run}`);
  timed(["sync"]);

  const target = join(folder, `unzipped-${run}`);
  const unzip = () => unzipping.push(timed(["sh", "-c", `unzip -q ${all} -d ${target} && sync`]));
  const deploy = () => {
    deploying.push(timed(server.deployCommand(all, `site-${run}`)));
    changing.push(timed(server.deployCommand(changed, `site-${run}`)));
  };
  for (const step of run % 2 ? [unzip, deploy] : [deploy, unzip]) {
    step();
    timed(["sync"]);
  }
  rmSync(target, { recursive: true });
}
await server.stop();

console.log(`${FILES} files of ${FILE_BYTES} bytes, medians of ${runs} alternating runs (least to most)`);
console.log(`unzip and sync          ${seconds(unzipping)}`);
console.log(
  `deployment to a 201     ${seconds(deploying)}   ${(median(deploying) / median(unzipping)).toFixed(2)} x unzip and sync`,
);
console.log(
  `10 files changed        ${seconds(changing)}   ${(median(changing) / median(deploying)).toFixed(2)} x the first deployment`,
);
