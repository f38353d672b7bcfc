// Measures nodes of a cluster, with PostgreSQL and Ceph's S3 on this machine, against a server with a data folder:
// deployments of 5,000 small files, first visits and cached visits of one node; how long an activation takes until all
// of three nodes show it. With `--before FILE`, an earlier build, also cached visits of both builds with a data folder.
//   node scripts/with-bun.mjs scripts/bench/cluster.ts [--runs 5] [--seconds 5] [--before FILE]
// Needs the Debian packages that `npm test` uses, and wrk.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { startCeph } from "../../src/clients/s3/testing/ceph.ts";
import { freePort } from "../../src/testing/free-port.ts";
import { installDebianPackages } from "../install-packages.ts";
import { startDatabase } from "../reliability/cluster/database.ts";
import { provideNeeds } from "../testing/provide-needs.ts";
import { manyFiles } from "./many-files.ts";
import { deploySites, distribution, measureColdVisits, measureDeployments, measureWarmVisits } from "./pair.ts";
import { type BenchServer, startExecutable, timed } from "./test-server.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    seconds: { type: "string", default: "5" },
    before: { type: "string" },
  },
});
const [runs, seconds] = [Number(values.runs), Number(values.seconds)];
const ACTIVATIONS = 500;

await installDebianPackages({ wrk: "wrk" });
await provideNeeds(join(import.meta.dir, "..", "..", ".bun", "debian"), ["ceph", "postgres", "zip"]);
const { path: folder } = scratchFolder();
// PostgreSQL runs as another user.
chmodSync(folder, 0o755);
const database = await startDatabase(folder, "127.0.0.1", freePort());
const ceph = await startCeph();
const { url } = await ceph.newBucket("bench");
process.env.VITRINE_S3_ACCESS_KEY_ID = ceph.keys.accessKeyId;
process.env.VITRINE_S3_SECRET_ACCESS_KEY = ceph.keys.secretAccessKey;
const startNode = (name: string) => {
  const flags = ["--database", database.url, "--content", url, "--node-name", name];
  return startExecutable(flags, undefined, { dataDir: join(folder, name) });
};
const started: BenchServer[] = [];
const keep = (server: BenchServer): BenchServer => {
  started.push(server);
  return server;
};

try {
  const embedded = keep(await startExecutable());
  const filling = await startNode("one");
  const names = ["data folder", "node"] as const;
  measureDeployments({ names, servers: [embedded, filling] }, { runs, folder });
  for (const server of [embedded, filling]) deploySites(server, folder);
  await filling.stop();
  // The node starts without its copies of the routing tables and of files.
  rmSync(join(folder, "one"), { recursive: true });
  const node = keep(await startNode("one"));
  await measureColdVisits(node);
  await measureWarmVisits({ names, servers: [embedded, node] }, runs, seconds);

  console.log(`an activation, ${ACTIVATIONS} one after the other`);
  await measureActivations("data folder", embedded);
  await measureActivations("one node", node);
  for (const name of ["two", "three"]) keep(await startNode(name));
  await measureActivations("three nodes", node);

  if (values.before) {
    const before = keep(await startExecutable([], undefined, { program: values.before }));
    deploySites(before, folder);
    await measureWarmVisits({ names: ["before", "now"], servers: [before, embedded] }, runs, seconds);
  }
} finally {
  for (const server of started.reverse()) await server.stop();
  database.kill();
  ceph.stop();
}

// --- internal ---

/** Activates two deployments in turn, and prints how long the answers take. */
async function measureActivations(name: string, server: BenchServer): Promise<void> {
  const place = join(folder, "activated");
  for (const deployment of [1, 2]) {
    const files = manyFiles(place);
    files.write(`deployment ${deployment}`, [0]);
    timed(server.deployCommand(files.zip("site"), "activated"));
  }
  const times: number[] = [];
  const headers = { Host: `localhost:${server.port}`, Authorization: `Bearer ${server.token}` };
  for (let turn = 0; turn < ACTIVATIONS; turn++) {
    const path = `/sites/activated/deployments/${1 + (turn % 2)}/activate`;
    const begin = performance.now();
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: "POST", headers });
    await response.text();
    if (!response.ok) throw new Error(`an activation was answered ${response.status}`);
    times.push(performance.now() - begin);
  }
  console.log(`  ${name}: ${distribution(times)}`);
}
