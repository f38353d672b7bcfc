import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { freshCluster } from "./testing/fresh-cluster.ts";

const { afterEach, beforeEach, test } = needing("postgres");
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

const startNode = async (now?: () => number) => {
  const node = await cluster.startNode("another", now);
  running.push(node);
  return node;
};
const publish = async (siteName: string, fileCount = 1) => {
  const files = Array.from({ length: fileCount }, (_, n) => ({
    path: `${n}`,
    digest: `${n}`.padStart(64, "0"),
    size: 1,
  }));
  const result = await cluster.store.deployments.publish(publicationOf({ siteName, ownerId, sessionId, files }));
  if (result.outcome !== "published") throw new Error(result.outcome);
  return result;
};
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

test("a node without a lease has it again once it has what was changed meanwhile", async () => {
  let now = 0;
  const node = await startNode(() => now);
  expect(node.membership.isCurrent()).toBe(true);
  now = 3000;
  expect(node.membership.isCurrent()).toBe(false);
  // Nobody waits for it any more.
  await execute(sql`DELETE FROM nodes WHERE name = 'another'`);
  const { site } = await publish("one");
  await node.membership.renew();
  expect(node.membership.isCurrent()).toBe(true);
  expect(await node.store.sites.findRoute("one")).toMatchObject({ siteId: site.id });
  await publish("one");
  expect(await node.store.sites.findRoute("one")).toMatchObject({ activeDeployment: 2 });
});

test.each([
  ["the log was shortened", sql`DELETE FROM changes`],
  ["a change may affect everybody", sql`UPDATE changes SET sites = NULL`],
])("where %s, a node reads everything anew", async (_, spoil) => {
  const node = await startNode();
  const generation = node.store.generation();
  // Its row is there, and nobody wakes it.
  await execute(sql`ALTER TABLE changes DISABLE TRIGGER changes_are_numbered`);
  await execute(sql`INSERT INTO changes (seq, sites) SELECT changes + 1, '{}' FROM log_counters`);
  await execute(sql`UPDATE sites SET private = true`);
  await execute(sql`UPDATE log_counters SET changes = changes + 1`);
  await execute(sql`ALTER TABLE changes ENABLE TRIGGER changes_are_numbered`);
  await execute(spoil);
  await node.membership.catchUp();
  expect(node.store.affectedSites(generation, node.store.generation())).toBeNull();
});

test("the files of a large deployment, and of the one before, are there with its first visit", async () => {
  const former = await publish("large", 5001);
  const { deployment, site } = await publish("large", 5002);
  const { store } = await startNode();
  expect(store.files.has(deployment.id, "5001")).toBe(false);
  expect(await store.deployments.rules(deployment.id)).toMatchObject({ redirects: [], headers: [] });
  expect(store.files.find(deployment.id, "5001")).toMatchObject({ size: 1, isEncoded: false });
  expect(store.files.has(former.deployment.id, "5000")).toBe(true);
  expect(await store.deployments.rules(deployment.id + 99)).toBeNull();
  await cluster.store.sites.delete(site.id, 0, 0);
  expect([await store.deployments.rules(deployment.id), store.files.has(deployment.id, "1")]).toEqual([null, false]);
});

test("a replica has nothing of people but whether they are frozen", async () => {
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
