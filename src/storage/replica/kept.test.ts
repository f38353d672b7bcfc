import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publishDeployment } from "../contract/publication.ts";
import type { PostgresConnection } from "../postgres/connection.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { newGenerationCell, raiseGeneration } from "../sqlite/generation.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import { loadFiles, newFollower } from "./follow.ts";
import { prepareReplica } from "./prepare.ts";
import { openReplica } from "./replica.ts";
import { freshCluster } from "./testing/fresh-cluster.ts";

const { afterEach, beforeAll, beforeEach, describe, test } = needing("postgres");
const cluster = freshCluster();
const folder = temporaryFolder();
const opened: { close(): void }[] = [];

/** Making a replica takes half a second. */
const empty = join(folder, "empty.db");
let file: string;
let ownerId: number;
let sessionId: number;
beforeAll(() => prepareReplica(empty));
beforeEach(async () => {
  file = join(folder, `${crypto.randomUUID()}.db`);
  copyFileSync(empty, file);
  ownerId = (await addPerson(cluster.store, "ada")).id;
  sessionId = await addSession(cluster.store, ownerId);
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** Opens the replica as a node does at its start. */
async function start() {
  await prepareReplica(file);
  const cell = newGenerationCell();
  const replica = openReplica(file, (generation) => raiseGeneration(cell, generation));
  const store = openSqliteStore(file, cell);
  opened.push(replica, store);
  const { catchUp } = newFollower(cluster.connection, replica, async () => true);
  return { replica, store, catchUp };
}
const stop = () => {
  for (const one of opened.splice(0)) one.close();
};
/** Starts, applies everything, and returns the sites that were affected; null if everything was read. */
async function restart() {
  const node = await start();
  const before = node.store.generation();
  await node.catchUp();
  return { ...node, affected: node.store.affectedSites(before, node.store.generation()) };
}

const publish = async (siteName: string, digests = ["a"]) => {
  const files = digests.map((digit) => ({ path: `${digit}.css`, digest: digit.repeat(64), size: 1 }));
  return publishDeployment(cluster.store, { siteName, ownerId, sessionId, createdAt: Date.now(), files });
};
const execute = (...statements: readonly ReturnType<typeof sql>[]) =>
  cluster.connection.write(async (tx) => {
    for (const statement of statements) await tx.execute(statement);
  });

test("a replica never has a deployment that was deleted while its files were read", async () => {
  const { replica, store } = await restart();
  const { site } = await publish("one");
  let reads = 0;
  const read: PostgresConnection["read"] = async (query) => {
    if (++reads === 2) await cluster.store.sites.delete(site.id, 0, 0);
    return cluster.connection.read(query);
  };
  const shown: unknown[] = [];
  const follower = newFollower({ ...cluster.connection, read }, replica, async () => {
    shown.push(await store.sites.findRoute("one"));
    return true;
  });
  await follower.catchUp();
  expect(shown).toEqual([null]);
});

describe("after a restart, a replica", () => {
  test("continues from its place in the log", async () => {
    const one = await publish("one");
    await restart();
    stop();
    const two = await publish("two");
    const { store, affected } = await restart();
    expect(affected).toEqual([two.site.id]);
    expect(await store.sites.findRoute("one")).toMatchObject({ siteId: one.site.id });
    expect(await store.sites.findRoute("two")).toMatchObject({ siteId: two.site.id });
  });

  const lastChange = sql`seq = (SELECT max(seq) FROM changes)`;
  test.each([
    ["the log was shortened", [sql`DELETE FROM changes`]],
    ["the last change was replaced", [sql`UPDATE changes SET token = gen_random_uuid() WHERE ${lastChange}`]],
    [
      "the last change was rolled back",
      [sql`DELETE FROM changes WHERE ${lastChange}`, sql`UPDATE log_counters SET changes = changes - 1`],
    ],
    ["the database is another one", [sql`UPDATE cluster SET token = gen_random_uuid()`]],
  ])("is filled again if %s", async (_, statements) => {
    await publish("one");
    await restart();
    stop();
    await execute(...statements);
    const { site } = await publish("two");
    const { store, affected } = await restart();
    expect(affected).toBeNull();
    expect(await store.sites.findRoute("two")).toMatchObject({ siteId: site.id });
  });

  test.each([
    ["is damaged", () => truncate(10_000)],
    ["is empty", () => truncate(0)],
    ["was written by another version", () => writeSchema("0.0.0")],
  ])("is discarded if it %s", async (_, spoil) => {
    await publish("one");
    expect((await restart()).replica.place()).toMatchObject({ seq: expect.any(Number) });
    stop();
    spoil();
    const { replica, catchUp, store } = await start();
    expect(replica.place()).toBeNull();
    await catchUp();
    expect(await store.sites.findRoute("one")).toMatchObject({ activeDeployment: 1 });
  });
});

/** Replaces the file by its beginning, without the log beside it, from which SQLite would restore the rest. */
function truncate(bytes: number): void {
  const beginning = readFileSync(file).subarray(0, bytes);
  for (const part of databaseFiles(file)) rmSync(part);
  writeFileSync(file, beginning);
}

function writeSchema(schema: string): void {
  const db = new Database(file);
  db.prepare("UPDATE replica SET schema = ?").run(schema);
  db.close();
}

describe("a replica that is filled again while it is served", () => {
  test("keeps the files of deployments, which threads have cached, and learns their encodings", async () => {
    const { deployment } = await publish("one", ["a", "b"]);
    const { replica, store, catchUp } = await restart();
    await loadFiles(cluster.connection, replica, deployment.id, Infinity);
    expect(store.files.find(deployment.id, "a.css")).toMatchObject({ isEncoded: false });
    await execute(
      sql`INSERT INTO encoding_claims (content_id, epoch, holder) SELECT id, 1, '' FROM contents`,
      sql`INSERT INTO encodings SELECT id, 'gzip', ${"c".repeat(64)}, 7 FROM contents`,
      sql`DELETE FROM changes`,
    );
    await publish("two");
    await catchUp();
    const encodings = { gzip: { digest: "c".repeat(64), size: 7 } };
    expect(store.files.find(deployment.id, "a.css")).toMatchObject({ isEncoded: true, encodings });
  });

  test.each([
    ["another deployment", "created_at = created_at + 1"],
    ["a repetition of the same publication", "publication_id = 'another'"],
  ])("drops the files of deployments that are gone, and of one whose id %s has got", async (_, change) => {
    const former = await publish("one", ["a"]);
    const gone = await publish("two", ["b"]);
    const { replica, store, catchUp } = await restart();
    for (const { deployment } of [former, gone]) await loadFiles(cluster.connection, replica, deployment.id, Infinity);
    await execute(
      sql`UPDATE deployments SET ${sql.raw(change)} WHERE id = ${former.deployment.id}`,
      sql`UPDATE sites SET active_deployment_id = NULL`,
      sql`DELETE FROM deployments WHERE id = ${gone.deployment.id}`,
      sql`DELETE FROM changes`,
    );
    await publish("three");
    await catchUp();
    expect(store.files.has(former.deployment.id, "a.css")).toBe(false);
    expect(store.files.has(gone.deployment.id, "b.css")).toBe(false);
    await loadFiles(cluster.connection, replica, former.deployment.id, Infinity);
    expect(store.files.has(former.deployment.id, "a.css")).toBe(true);
  });
});

test("the last contact survives a restart", async () => {
  const { replica } = await restart();
  expect(replica.lastContact()).toBeNull();
  await replica.recordContact(4711);
  stop();
  expect((await start()).replica.lastContact()).toBe(4711);
});

test("a change whose files cannot be read yet is not applied", async () => {
  const { site } = await publish("one", ["a"]);
  await prepareReplica(file);
  const cell = newGenerationCell();
  const replica = openReplica(file, (generation) => raiseGeneration(cell, generation));
  const store = openSqliteStore(file, cell);
  opened.push(replica, store);
  let reads = 0;
  const failing: PostgresConnection = {
    ...cluster.connection,
    // The second read is of the files.
    read: (query) => (++reads === 2 ? Promise.reject(new Error("away")) : cluster.connection.read(query)),
  };
  const { catchUp } = newFollower(failing, replica, async () => true);
  await catchUp();
  reads = 0;
  const { deployment } = await publish("one", ["b"]);
  await expect(catchUp()).rejects.toThrow("away");
  expect(await store.sites.findRoute("one")).toMatchObject({ siteId: site.id, activeDeployment: 1 });
  await catchUp();
  expect(await store.sites.findRoute("one")).toMatchObject({ activeDeployment: 2 });
  expect(store.files.has(deployment.id, "b.css")).toBe(true);
});
