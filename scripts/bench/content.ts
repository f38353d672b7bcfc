// Measures files of sites in S3, Ceph's on this machine, against the data folder: deployments of 5,000 small files in
// alternating runs, visits of a site that is not cached, and visits of cached files.
//   node scripts/with-bun.mjs scripts/bench/content.ts [--runs 5] [--seconds 5]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { startCeph } from "../../src/clients/s3/testing/ceph.ts";
import { deploySites, measureColdVisits, measureDeployments, measureWarmVisits } from "./pair.ts";
import { startExecutable } from "./test-server.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "5" }, seconds: { type: "string", default: "5" } },
});
const runs = Number(values.runs);

const { path: folder } = scratchFolder();
const dataDir = join(folder, "in-s3");
const ceph = await startCeph();
const { url } = await ceph.newBucket("bench");
process.env.VITRINE_S3_ACCESS_KEY_ID = ceph.keys.accessKeyId;
process.env.VITRINE_S3_SECRET_ACCESS_KEY = ceph.keys.secretAccessKey;
const startInS3 = () => startExecutable(["--content", url], undefined, { dataDir });

try {
  const embedded = await startExecutable();
  let inS3 = await startInS3();
  const names = ["data folder", "S3"] as const;
  measureDeployments({ names, servers: [embedded, inS3] }, { runs, folder });
  for (const server of [embedded, inS3]) deploySites(server, folder);
  await inS3.stop();
  rmSync(join(dataDir, "cache"), { recursive: true });
  inS3 = await startInS3();
  await measureColdVisits(inS3);
  await measureWarmVisits({ names, servers: [embedded, inS3] }, runs, Number(values.seconds));
  await Promise.all([embedded.stop(), inS3.stop()]);
} finally {
  ceph.stop();
}
