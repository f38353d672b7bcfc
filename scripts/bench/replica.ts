// Measures a node's replica of PostgreSQL: filling it, applying changes, a change that waits for three nodes, and the
// look-up of a visit. It starts a PostgreSQL of its own, without fsync.
//   node scripts/with-bun.mjs scripts/bench/replica.ts [--sites 100000] [--seconds 20] [--rate 50]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sql } from "drizzle-orm";
import { MINUTE } from "../../src/domain/timestamp.ts";
import { newBarrier } from "../../src/storage/postgres/barrier.ts";
import { connect } from "../../src/storage/postgres/connection.ts";
import { nodeStore } from "../../src/storage/postgres/nodes.ts";
import { makeEmptyDatabase } from "../../src/storage/postgres/testing/make-database.ts";
import { newFollower } from "../../src/storage/replica/follow.ts";
import { joinCluster } from "../../src/storage/replica/node.ts";
import { prepareReplica } from "../../src/storage/replica/prepare.ts";
import { openReplica } from "../../src/storage/replica/replica.ts";
import { newGenerationCell, raiseGeneration } from "../../src/storage/sqlite/generation.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { quantile } from "../statistics.ts";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    sites: { type: "string", default: "100000" },
    seconds: { type: "string", default: "20" },
    rate: { type: "string", default: "50" },
  },
});
const [siteCount, seconds, rate] = [values.sites, values.seconds, values.rate].map(Number) as [number, number, number];

/** Applied in one batch, and one after the other. */
const CHANGES = 5000;
const SINGLE_CHANGES = 500;
const LOOKUPS = 20_000;
const NODES = 3;

const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-replica-"));
const database = await makeEmptyDatabase();
const writer = connect(database.url, { max: 4, deadline: 10 * MINUTE });
try {
  await addSites();
  const file = await fill();
  await lookUp(file);
  await apply(file);
  await waitForNodes();
} finally {
  writer.close();
  await database.close();
  rmSync(folder, { recursive: true });
}
process.exit(0);

async function addSites(): Promise<void> {
  await writer.write(async (tx) => {
    await tx.execute(sql`SET LOCAL statement_timeout = 0`);
    await tx.execute(sql`
      INSERT INTO users (id, provider, subject, login, may_own, created_at)
      SELECT n, 'local', n::text, 'person-' || n, true, 0 FROM generate_series(1, 1000) AS n`);
    await tx.execute(sql`
      INSERT INTO sites (id, name, owner_id, private, created_at, last_deployed_at, last_number)
      SELECT n, 'site-' || n, 1 + n % 1000, false, 0, 0, 1 FROM generate_series(1, ${siteCount}::int) AS n`);
    await tx.execute(sql`
      INSERT INTO deployments (id, site_id, number, created_at, activated_at, source, actor, file_count, size_bytes, warnings)
      SELECT n, n, 1, 0, 0, 'upload', 'bench', 1, 1, '[]' FROM generate_series(1, ${siteCount}::int) AS n`);
    await tx.execute(sql`UPDATE sites SET active_deployment_id = id`);
    await tx.execute(sql`ANALYZE`);
  });
}

async function open(file: string, max = 1) {
  await prepareReplica(file);
  const cell = newGenerationCell();
  const connection = connect(database.url, { max });
  const replica = openReplica(file, (generation) => raiseGeneration(cell, generation));
  return { connection, replica, cell };
}

async function fill(): Promise<string> {
  const file = join(folder, "one.db");
  const { connection, replica } = await open(file);
  const before = process.memoryUsage.rss();
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const { catchUp } = newFollower(connection, replica, async () => true);
  const spent = process.cpuUsage();
  const took = await elapsed(catchUp);
  const { user, system } = process.cpuUsage(spent);
  clearInterval(watching);
  const megabytes = Math.round((most - before) / 1024 / 1024);
  const rows = Math.round((2 * siteCount) / (took / 1000));
  const size = Math.round(statSync(file).size / siteCount);
  const processor = ((user + system) / 1e6).toFixed(2);
  console.log(
    `filling ${siteCount} sites: ${(took / 1000).toFixed(2)} s, of these ${processor} s of processor time here`,
  );
  console.log(`  ${rows} rows/s, ${megabytes} MiB of memory, ${size} bytes a site on the disk`);
  replica.close();
  connection.close();
  console.log(`checking the replica at a start: ${(await elapsed(() => prepareReplica(file))).toFixed(0)} ms`);
  return file;
}

async function lookUp(file: string): Promise<void> {
  const store = openSqliteStore(file, newGenerationCell());
  const took = await elapsed(async () => {
    for (let n = 0; n < LOOKUPS; n++) await store.sites.findRoute(`site-${1 + ((n * 7919) % siteCount)}`);
  });
  console.log(`look-up of a site that is not cached: ${((took / LOOKUPS) * 1000).toFixed(2)} µs`);
  store.close();
}

async function apply(file: string): Promise<void> {
  const { connection, replica } = await open(file);
  const { catchUp } = newFollower(connection, replica, async () => true);
  await writer.write((tx) =>
    tx.execute(sql`
      INSERT INTO changes (sites) SELECT ARRAY[1 + (n * 7919) % ${siteCount}] FROM generate_series(1, ${CHANGES}::int) AS n`),
  );
  const batch = await elapsed(catchUp);
  console.log(`applying ${CHANGES} changes together: ${((batch / CHANGES) * 1000).toFixed(0)} µs a change`);
  let single = 0;
  for (let n = 0; n < SINGLE_CHANGES; n++) {
    await writer.writeRouting(async (_, affects) => affects(1 + n));
    single += await elapsed(catchUp);
  }
  console.log(`applying one change: ${(single / SINGLE_CHANGES).toFixed(2)} ms`);
  replica.close();
  connection.close();
}

/** Changes at a rate, each of which waits until all nodes have applied it. */
async function waitForNodes(): Promise<void> {
  const members = await Promise.all(
    Array.from({ length: NODES }, async (_, n) => {
      const { connection, replica } = await open(join(folder, `node-${n}.db`), 2);
      const node = { id: crypto.randomUUID(), name: `node-${n}`, address: "127.0.0.1", version: "0.0.0" };
      return joinCluster(connection, replica, node);
    }),
  );
  const connection = connect(database.url, { max: 4, afterRoutingChange: (rowId) => barrier.pass(rowId) });
  const barrier = newBarrier(connection, nodeStore(connection));
  const times: number[] = [];
  const pending: Promise<unknown>[] = [];
  for (let n = 0; n < seconds * rate; n++) {
    const siteId = 1 + ((n * 7919) % siteCount);
    pending.push(
      elapsed(() =>
        connection.writeRouting(async (tx, affects) => {
          await tx.execute(sql`UPDATE sites SET last_deployed_at = ${n} WHERE id = ${siteId}`);
          affects(siteId);
        }),
      ).then((took) => times.push(took)),
    );
    await Bun.sleep(1000 / rate);
  }
  await Promise.all(pending);
  const at = (share: number) => quantile(times, share).toFixed(1);
  const figures = `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
  console.log(`a change that ${NODES} nodes have applied, ${rate} a second: ${figures}`);
  for (const member of members) await member.leave();
  barrier.close();
  connection.close();
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
