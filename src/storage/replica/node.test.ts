import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publishDeployment } from "../contract/publication.ts";
import { connect, type PostgresConnection } from "../postgres/connection.ts";
import { databaseAway } from "../postgres/failures.ts";
import { markMoved } from "../postgres/migrate.ts";
import { nodeStore, sessionsOf } from "../postgres/nodes.ts";
import { startFaultyNetwork } from "../postgres/testing/faulty-network.ts";
import { takeLock } from "../store/locks.ts";
import { rowsOf } from "../store/rows.ts";
import { freshCluster, type NodeOptions } from "./testing/fresh-cluster.ts";

const { afterEach, beforeEach, describe, test } = needing("postgres");
const cluster = freshCluster();

let ownerId: number;
let sessionId: number;
beforeEach(async () => {
  ownerId = (await addPerson(cluster.store, "ada")).id;
  sessionId = await addSession(cluster.store, ownerId);
});
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});

const startNode = async (options?: NodeOptions) => {
  const node = await cluster.startNode("another", options);
  running.push(node);
  return node;
};
const publish = async (siteName: string, fileCount = 1) => {
  const files = Array.from({ length: fileCount }, (_, n) => ({
    path: `${n}`,
    digest: `${n}`.padStart(64, "0"),
    size: 1,
  }));
  return publishDeployment(cluster.store, { siteName, ownerId, sessionId, createdAt: Date.now(), files });
};
const nodeNames = async () => (await cluster.store.nodes?.list())?.map(({ name }) => name);
const nodeStates = async () => (await cluster.store.nodes?.list())?.map(({ name, state }) => `${name} ${state}`);
/** Renews the lease. An attempt has one second, in which a busy machine may not reach the database. */
async function untilRenewed({ membership }: Awaited<ReturnType<typeof startNode>>): Promise<void> {
  while (!(await membership.renew()));
}
const execute = (statement: ReturnType<typeof sql>) => cluster.connection.write((tx) => tx.execute(statement));

test("a new node has what was there before, and every change that is answered", async () => {
  await publish("one");
  const { store } = await startNode();
  expect(await store.sites.findRoute("one")).toMatchObject({ activeDeployment: 1 });
  for (let number = 2; number < 7; number++) {
    await publish("one");
    expect(await store.sites.findRoute("one")).toMatchObject({ activeDeployment: number });
  }
  await cluster.store.sites.delete((await publish("two")).site.id, 0, 0);
  expect(await store.sites.findRoute("two")).toBeNull();
});

test("a node regains its lease once it has applied the changes made meanwhile", async () => {
  let now = 0;
  const node = await startNode({ now: () => now });
  expect(node.lease.isCurrent()).toBe(true);
  now = 3000;
  expect(node.lease.isCurrent()).toBe(false);
  // No change waits for it any more.
  await execute(sql`DELETE FROM nodes WHERE name = 'another'`);
  const { site } = await publish("one");
  await untilRenewed(node);
  expect(node.lease.isCurrent()).toBe(true);
  expect(await node.store.sites.findRoute("one")).toMatchObject({ siteId: site.id });
  await publish("one");
  expect(await node.store.sites.findRoute("one")).toMatchObject({ activeDeployment: 2 });
});

test("a node announces again what it has applied if the database lost that in a crash", async () => {
  const node = await startNode();
  await publish("one");
  const applied = async () => (await cluster.store.nodes?.list())?.find(({ name }) => name === "another")?.applied;
  const before = await applied();
  await execute(sql`UPDATE nodes SET applied = applied - 1 WHERE name = 'another'`);
  while ((await applied()) !== before) {
    await node.membership.renew();
    await node.membership.catchUp();
  }
});

test("a request to drain is reported once, and the node serves until it leaves", async () => {
  let told = 0;
  const node = await startNode({ onDrain: () => told++ });
  expect(await cluster.store.nodes?.requestDrain("another")).toBe("requested");
  for (let renewals = 0; renewals < 3; renewals++) await node.membership.renew();
  expect([told, node.lease.isCurrent()]).toEqual([1, true]);
  const { site } = await publish("one");
  expect(await node.store.sites.findRoute("one")).toMatchObject({ siteId: site.id });
});

test.each([
  ["the log was shortened", sql`DELETE FROM changes`],
  ["a change may affect everybody", sql`UPDATE changes SET sites = NULL`],
])("where %s, a node reads everything again", async (_, spoil) => {
  const node = await startNode();
  const generation = node.store.generation();
  await cluster.connection.write(async (tx) => {
    await tx.execute(sql`INSERT INTO changes (sites) VALUES ('{}')`);
    await tx.execute(sql`SET CONSTRAINTS ALL IMMEDIATE`);
    await tx.execute(spoil);
  });
  await node.membership.catchUp();
  expect(node.store.affectedSites(generation, node.store.generation())).toBeNull();
});

test("the first visit of a large deployment loads its files and those of the previous one", async () => {
  const away = () => Promise.reject(databaseAway(undefined));
  const { store } = await startNode({ maxFilesAtOnce: 1, loading: { ...cluster.connection, read: away } });
  const former = await publish("large", 2);
  const { deployment, site } = await publish("large", 3);
  expect([former, { deployment }].map((made) => store.files.has(made.deployment.id, "1"))).toEqual([false, false]);
  expect(await store.deployments.rules(deployment.id)).toMatchObject({ redirects: [], headers: [] });
  expect(store.files.find(deployment.id, "2")).toMatchObject({ size: 1, isEncoded: false });
  expect(store.files.has(former.deployment.id, "1")).toBe(false);
  // As with a longer grace period than before.
  await store.deployments.rules(deployment.id, 0);
  expect(store.files.has(former.deployment.id, "1")).toBe(true);
  expect(await store.deployments.rules(deployment.id + 99)).toBeNull();
  await cluster.store.sites.delete(site.id, 0, 0);
  expect([await store.deployments.rules(deployment.id), store.files.has(deployment.id, "1")]).toEqual([null, false]);
});

test("a replica stores nothing about people except whether they are frozen", async () => {
  await publish("one");
  const { file } = await startNode();
  const people = new Database(file, { readonly: true }).query("SELECT * FROM users").all();
  expect(people).toEqual([
    expect.objectContaining({
      id: ownerId,
      subject: `${ownerId}`,
      login: `${ownerId}`,
      name: null,
      password_hash: null,
    }),
  ]);
});

describe("while the database is away, a node", () => {
  const HOUR = 3_600_000;
  let isAway: boolean;
  let problems: (string | null)[];
  beforeEach(() => {
    isAway = true;
    problems = [];
  });
  const unreachable = {
    async prepareDatabase() {
      if (isAway) throw databaseAway(new Error("it is away"));
    },
    onProblem: (reason: string | null) => void problems.push(reason),
  };
  /** Runs a node for a moment at a time of its wall clock, and returns the file of its replica. */
  const runBefore = async (at: number): Promise<string> => {
    const node = await cluster.startNode("another", { wallClock: () => at });
    await node.stop();
    return node.file;
  };

  test("starts with its replica, isolated since its last contact, and joins later", async () => {
    const { site } = await publish("one");
    const file = await runBefore(1000);
    // A failed renewal counts for 2.5 seconds, which a busy machine may take to start: time stands still.
    const node = await startNode({ ...unreachable, file, wallClock: () => 1000 + HOUR, now: () => 0 });
    expect([node.lease.isCurrent(), node.lease.isIsolated()]).toEqual([false, true]);
    expect(Math.round(node.lease.endedFor() / HOUR)).toBe(1);
    expect(await node.store.sites.findRoute("one")).toMatchObject({ siteId: site.id });
    await node.membership.renew();
    expect(problems).toEqual(["it is away"]);
    isAway = false;
    await untilRenewed(node);
    expect(problems).toEqual(["it is away", null]);
    await publish("one");
    expect(await node.store.sites.findRoute("one")).toMatchObject({ activeDeployment: 2 });
  });

  test("has been isolated for years if its clock was set back", async () => {
    const file = await runBefore(2000);
    const node = await startNode({ ...unreachable, file, wallClock: () => 1000 });
    expect(node.lease.endedFor()).toBeGreaterThan(3 * 365 * 24 * HOUR);
  });

  test("does not start without a replica", async () => {
    const failure = await startNode(unreachable).catch((error) => error);
    expect(failure).toMatchObject({ kind: "unavailable" });
  });
});

test("a node whose database was moved meanwhile answers no visit, and says why", async () => {
  const problems: (string | null)[] = [];
  const node = await startNode({ onProblem: (reason) => problems.push(reason) });
  await markMoved(cluster.url, 1);
  do {
    await node.membership.renew();
    await node.membership.catchUp();
  } while (node.lease.endedFor() < 1e10);
  const problem = problems.at(-1);
  await execute(sql`DELETE FROM meta WHERE key = 'moved_at'`);
  expect(problem).toStartWith("The database was moved to a data folder");
});

test("a change is confirmed once the lease of a disconnected node has ended; the node applies it when it reconnects", async () => {
  const network = await startFaultyNetwork(cluster.url);
  const node = await startNode({ url: network.url });
  network.hang();
  const { site } = await publish("one");
  expect([node.lease.isCurrent(), await node.store.sites.findRoute("one")]).toEqual([false, null]);
  do expect(await node.membership.renew()).toBe(false);
  while (!node.lease.isIsolated());
  network.resume();
  while (!(await node.membership.renew())) await Bun.sleep(20);
  expect(await node.store.sites.findRoute("one")).toMatchObject({ siteId: site.id });
  await running.pop()?.stop();
  network.stop();
});

/** Lets a replica apply no changes until the returned function is called. */
function breakReplica(file: string): () => void {
  const db = new Database(file);
  db.run(`CREATE TRIGGER broken BEFORE UPDATE ON replica WHEN new.seq > old.seq BEGIN SELECT RAISE(ABORT, 'no'); END`);
  return () => {
    db.run("DROP TRIGGER broken");
    db.close();
  };
}

test("a node whose replica cannot be written answers no visit, and no change waits for it", async () => {
  const problems: (string | null)[] = [];
  const node = await startNode({ onProblem: (reason) => problems.push(reason) });
  const repair = breakReplica(node.file);
  const { site } = await publish("one");
  expect(node.lease.isCurrent()).toBe(false);
  expect(node.lease.endedFor()).toBeGreaterThan(1e10);
  expect(await nodeStates()).toEqual(["another isolated", "one live"]);
  expect(await node.membership.renew()).toBe(false);
  expect(problems).toEqual([expect.stringContaining("the node's replica cannot be written")]);
  repair();
  await untilRenewed(node);
  expect(await node.store.sites.findRoute("one")).toMatchObject({ siteId: site.id });
  expect(await nodeStates()).toEqual(["another live", "one live"]);
});

test("a change waits for the locks of a node that hangs no longer than until it is evicted", async () => {
  const nodes = nodeStore(cluster.connection);
  const id = crypto.randomUUID();
  await nodes.join({ id, name: "hung", address: "192.0.2.1", version: "0.0.0" }, null);
  const hung = connect(cluster.url, { max: 1, application: sessionsOf(id) });
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let attempts = 0;
  const holding = hung.write(async (tx) => {
    if (++attempts > 1) return;
    await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '1min'`);
    await takeLock(tx, "backups");
    locked.resolve();
    await released.promise;
    await tx.execute(sql`SELECT 1`);
  });
  await locked.promise;
  await execute(sql`UPDATE nodes SET contact_since = contact_since - interval '1 minute'`);
  await cluster.connection.write((tx) => takeLock(tx, "backups"));
  released.resolve();
  await holding;
  expect(attempts).toBe(2);
  hung.close();
  await nodes.leave(id);
});

test("a change does not wait for a node that died before the clock of the database was set back", async () => {
  const nodes = nodeStore(cluster.connection);
  await nodes.join({ id: "dead", name: "dead", address: "192.0.2.1", version: "0.0.0" }, null);
  await execute(sql`UPDATE nodes SET lease_ends_at = lease_ends_at + interval '1 hour',
    renewed_at = renewed_at + interval '1 hour', contact_since = contact_since + interval '1 hour'`);
  await publish("one");
  await nodes.leave("dead");
});

test("a node that was killed starts again once its lease has ended", async () => {
  const killed = { id: crypto.randomUUID(), name: "another", address: "192.0.2.1", version: "0.0.0" };
  const nodes = nodeStore(cluster.connection);
  const heartbeat = heldConnection();
  const { reached, release } = heartbeat.hold();
  const problems: (string | null)[] = [];
  const onProblem = (reason: string | null) => problems.push(reason);
  const starting = startNode({ onProblem, heartbeat: heartbeat.connection });
  // A busy machine may take longer than the lease until the node joins.
  await reached;
  await nodes.join(killed, null);
  void release();
  const node = await starting;
  expect(node.lease.isCurrent()).toBe(true);
  expect(await nodeStates()).toContain("another live");
  expect(problems).toEqual([expect.stringMatching(/^the lease of a process at 192.0.2.1 .* has not expired/), null]);
  await nodes.leave(killed.id);
  await running.pop()?.stop();
  heartbeat.connection.close();
});

test("a node does not start with the name of a live one, nor serve once another one has its name", async () => {
  const problems: (string | null)[] = [];
  const node = await startNode({ onProblem: (reason) => problems.push(reason) });
  await expect(startNode()).rejects.toThrow("another node at 127.0.0.1 is called another: give each node a name");
  expect(node.lease.isCurrent()).toBe(true);
  // As after it was stopped for a while.
  const [other] = await cluster.connection.write((tx) =>
    rowsOf<{ id: string }>(
      tx,
      sql`UPDATE nodes SET id = 'another start', lease_ends_at = clock_timestamp() + interval '1 hour'
        WHERE name = 'another' AND lease_ends_at > clock_timestamp() RETURNING id`,
    ),
  );
  node.lease.end();
  expect(await node.membership.renew()).toBe(false);
  expect(node.lease.endedFor()).toBeGreaterThan(1e10);
  expect(problems).toEqual([expect.stringContaining("that is called another has not expired")]);
  await nodeStore(cluster.connection).leave(other!.id);
  await untilRenewed(node);
  expect(problems.at(-1)).toBeNull();
});

/** A connection for renewals; the next change after `hold` waits for `release`, as with a server that hangs. */
function heldConnection() {
  const real = connect(cluster.url, { max: 1 });
  let next: (() => Promise<void>) | null = null;
  let made: () => void = () => {};
  const write: PostgresConnection["write"] = async (change) => {
    const held = next;
    next = null;
    await held?.();
    const result = await real.write(change);
    if (held) made();
    return result;
  };
  const hold = () => {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    made = end.resolve;
    next = () => {
      reached.resolve();
      return go.promise;
    };
    /** Returns once the change was made. */
    const release = () => {
      go.resolve();
      return end.promise;
    };
    return { reached: reached.promise, release };
  };
  return { connection: { ...real, write }, hold };
}

test("a node that leaves while it joins is gone, and has no lease", async () => {
  let now = 0;
  const heartbeat = heldConnection();
  const node = await cluster.startNode("another", { now: () => now, heartbeat: heartbeat.connection });
  await execute(sql`DELETE FROM nodes WHERE name = 'another'`);
  now = 3000;
  const { reached, release } = heartbeat.hold();
  const renewed = node.membership.renew();
  await reached;
  const stopped = node.stop();
  await release();
  await Promise.allSettled([renewed, stopped]);
  expect([await nodeNames(), node.lease.isCurrent()]).toEqual([["one"], false]);
  heartbeat.connection.close();
});

test("a node leaves although the database exceeds the short deadline of renewals", async () => {
  const real = connect(cluster.url, { max: 1 });
  let isSlow = false;
  const write: PostgresConnection["write"] = async (change) => {
    if (isSlow) throw databaseAway(new Error("no answer"));
    return real.write(change);
  };
  const node = await cluster.startNode("another", { heartbeat: { ...real, write } });
  isSlow = true;
  await node.stop();
  expect(await nodeNames()).toEqual(["one"]);
  real.close();
});

test("a node that leaves because it is behind is not removed after it has joined again", async () => {
  const heartbeat = heldConnection();
  const node = await startNode({ heartbeat: heartbeat.connection });
  const repair = breakReplica(node.file);
  const { reached, release } = heartbeat.hold();
  const published = publish("one");
  await reached;
  repair();
  await node.membership.renew();
  await release();
  const isCurrent = node.lease.isCurrent();
  expect((await nodeNames())?.includes("another") || !isCurrent).toBe(true);
  await published;
  await untilRenewed(node);
  expect([node.lease.isCurrent(), await nodeNames()]).toEqual([true, ["another", "one"]]);
});

test("the end of a membership that reaches the database late does not end the next one", async () => {
  const real = connect(cluster.url, { max: 1 });
  const late: (() => Promise<unknown>)[] = [];
  let isHanging = false;
  const write: PostgresConnection["write"] = async (change) => {
    if (!isHanging) return real.write(change);
    isHanging = false;
    late.push(() => real.write(change));
    throw databaseAway(new Error("no answer"));
  };
  const node = await startNode({ heartbeat: { ...real, write } });
  const repair = breakReplica(node.file);
  isHanging = true;
  await execute(sql`INSERT INTO changes (sites) VALUES ('{}')`);
  await expect(node.membership.catchUp()).rejects.toThrow("cannot be written");
  expect(await node.membership.renew()).toBe(false);
  repair();
  await untilRenewed(node);
  expect(late).toHaveLength(1);
  await late[0]?.();
  expect([await nodeStates(), node.lease.isCurrent()]).toEqual([["another live", "one live"], true]);
  await running.pop()?.stop();
  real.close();
});
