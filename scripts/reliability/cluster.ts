// Runs three nodes of the executable with PostgreSQL, Ceph's S3 server and HAProxy, changes and visits sites through
// all of them, and makes faults: nodes and databases are killed or stopped, networks drop packets. Then checks the
// history of all requests against what several nodes promise (docs/several-nodes.md).
//   node scripts/with-bun.mjs scripts/reliability/cluster.ts [MINUTES; default 5] [--plan mixed|upgrade|away|calm]
//   [--only FAULT] [--build NAME] [--executable FILE] [--history FILE]
// `--build` patches the sources first, for example with a mistake that the checker must find: cluster/planted.ts. The
// plan `upgrade` builds a next version with a newer schema.
// Needs root for network namespaces, and the Debian packages that `npm test` uses, with nftables.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { executable as builtExecutable, scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { startCeph } from "../../src/clients/s3/testing/ceph.ts";
import { installDebianPackages } from "../install-packages.ts";
import { provideNeeds } from "../testing/provide-needs.ts";
import { makeAccount } from "./cluster/accounts.ts";
import { startBalancer } from "./cluster/balancer.ts";
import { findLeftovers } from "./cluster/bucket.ts";
import { checkHistory } from "./cluster/check.ts";
import { Clients, type Recording, targetOf } from "./cluster/clients.ts";
import { startDatabase } from "./cluster/database.ts";
import { allReady, newFaults } from "./cluster/faults.ts";
import { readEverything } from "./cluster/final.ts";
import type { FaultKind, History } from "./cluster/history.ts";
import { SITES, startLoad } from "./cluster/load.ts";
import { addNodeNetwork, enterOwnNetwork, HUB } from "./cluster/network.ts";
import { BASE, NODE_PORT, newNode } from "./cluster/node.ts";
import { onlyFaults, PLANS, type PlanName } from "./cluster/plans.ts";
import { BUILDS, type BuildName, buildPatched, checkPatches, NEXT, NEXT_VERSION } from "./cluster/planted.ts";
import { figuresOf, minutesWithServers } from "./cluster/report.ts";

const ROOT = join(import.meta.dir, "..", "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plan: { type: "string", default: "mixed" },
    only: { type: "string" },
    build: { type: "string", default: "released" },
    executable: { type: "string" },
    history: { type: "string" },
  },
});
const minutes = Number(positionals[0] ?? 5);
const NODES = ["n1", "n2", "n3"];
/** Violations that are shown; the history has all. */
const SHOWN = 20;

checkPatches();
await installDebianPackages({ nftables: "nft", iproute2: "ip" });
await provideNeeds(join(ROOT, ".bun", "debian"), ["ceph", "haproxy", "postgres"]);
await enterOwnNetwork();

using folder = scratchFolder();
// PostgreSQL runs as another user.
chmodSync(folder.path, 0o755);
const patches = BUILDS[values.build as BuildName];
const executable =
  values.executable ?? (patches.length > 0 ? await buildPatched(folder.path, patches) : await builtExecutable());
const isUpgrade = values.plan === "upgrade" && !values.only;
const next = isUpgrade ? await buildPatched(folder.path, NEXT) : executable;
const database = await startDatabase(folder.path, HUB, 5432);
const ceph = await startCeph(HUB);
const destination = await ceph.newBucket("sites");
const { url } = destination;
const flags = ["--database", database.url, "--content", url, "--drain-delay", "4s", "--log", "off"];
const env = {
  VITRINE_S3_ACCESS_KEY_ID: ceph.keys.accessKeyId,
  VITRINE_S3_SECRET_ACCESS_KEY: ceph.keys.secretAccessKey,
};
const networks = await Promise.all(NODES.map((_, index) => addNodeNetwork(index + 1)));
const nodes = networks.map((network, index) =>
  newNode(NODES[index] as string, network, { executable, folder: folder.path, flags, env }),
);
await nodes[0]?.start();
await allReady(nodes.slice(0, 1));
await Promise.all(nodes.slice(1).map((node) => node.start()));
await allReady(nodes);
await startBalancer(folder.path, nodes);
const token = await makeAccount(nodes);
for (const node of nodes) node.replaceExecutable(next);
console.error(`three nodes are ready: ${minutes} minutes of ${values.only ?? values.plan}, ${values.build}`);

const recording: Recording = { changes: [], visits: [], faults: [] };
const clients = new Clients(recording, token);
const targets = nodes.map(targetOf);
await clients.fillCaches(targets);
const load = startLoad(clients, targets);
const cluster = {
  nodes,
  database,
  s3: { port: Number(new URL(url.replace(/.*endpoint=/, "")).port), pids: ceph.pids },
};
const plan = values.only ? onlyFaults(values.only as FaultKind) : PLANS[values.plan as PlanName];
const begin = performance.now();
await plan(newFaults(cluster, recording), nodes, begin + minutes * 60_000);
await load.stop();
await allReady(nodes);
await clients.unfreeze(targets[0]!, "frozen");
const found = await readEverything(clients, targets, SITES);
const history: History = { ...recording, found };
if (values.history) {
  const sites = found.map(({ site, deployments }) => ({ site, deployments: [...deployments] }));
  writeFileSync(values.history, JSON.stringify({ ...recording, found: sites }, null, 1));
}

/** Only builds with short graces collect what is unreferenced within minutes. */
const leftovers =
  values.build === "short graces" ? await findLeftovers({ ceph, destination, database: database.url }) : [];
const violations = [...checkHistory(history), ...leftovers];
const versions = await readVersions();
const crashes = nodes.flatMap(({ log }) =>
  (/panic|Unhandled|segmentation/i.exec(readFileSync(log(), "utf8")) ?? []).slice(0, 1),
);
const counts = Object.fromEntries(
  [...Map.groupBy(violations, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
);
console.log(
  JSON.stringify(
    { ...figuresOf(recording), versions, violations: counts, crashes, first: violations.slice(0, SHOWN) },
    null,
    2,
  ),
);
ceph.stop();
// A run in which hardly anything happened shows nothing.
const done = recording.changes.filter(({ outcome }) => outcome === "done").length;
const isEnough = done > 60 * minutesWithServers(recording.faults, { begin, end: begin + minutes * 60_000 });
if (!isEnough) console.error("there were too few changes");
const isUpgraded = !isUpgrade || versions.every((version) => version === NEXT_VERSION);
if (!isUpgraded) console.error("not all nodes run the next version");
process.exit(violations.length === 0 && isEnough && isUpgraded ? 0 : 1);

// --- internal ---

async function readVersions(): Promise<readonly string[]> {
  const headers = { Host: BASE, Authorization: `Bearer ${token}` };
  const response = await fetch(`http://${networks[0]?.address}:${NODE_PORT}/admin/nodes`, { headers });
  const all = (await response.json()) as readonly { version: string }[];
  return all.map(({ version }) => version);
}
