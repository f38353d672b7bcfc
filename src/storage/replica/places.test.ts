import type { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publishDeployment } from "../contract/publication.ts";
import { databaseAway } from "../postgres/failures.ts";
import { openDatabase } from "../sqlite/open-database.ts";
import { newLoadAhead } from "./load-ahead.ts";
import { placesInReplica } from "./places.ts";
import { openReplica } from "./replica.ts";
import { freshCluster, type NodeOptions, type TestNode } from "./testing/fresh-cluster.ts";

const { afterEach, beforeEach, describe, test } = needing("postgres");
const cluster = freshCluster();

const digest = (letter: string) => letter.repeat(64);
const [A, B, C, ENCODED] = [digest("a"), digest("b"), digest("c"), digest("e")];
/** Begins like another digest. */
const NEAR_A = `${"a".repeat(63)}b`;
const SIZE = 5;

let node: TestNode;
let replica: Database;
let facts: { readonly ownerId: number; readonly sessionId: number };
beforeEach(async () => {
  const ownerId = (await addPerson(cluster.store, "ada")).id;
  facts = { ownerId, sessionId: await addSession(cluster.store, ownerId) };
});
afterEach(async () => {
  replica.close();
  await node.stop();
});
const startNode = async (options?: NodeOptions) => {
  node = await cluster.startNode("another", options);
  replica = openDatabase(node.file);
};

/** What the node finds without the database. */
const lost = () => Promise.reject(databaseAway(undefined));
const places = () => placesInReplica(replica, { locate: lost, contentsOf: lost });
const whereIs = async (wanted: string) => {
  const { object, objectSize, size, offset } = (await places().locate(wanted)) ?? {};
  return `${object} ${objectSize} ${size} ${offset}`;
};
const AWAY = "the database cannot be reached";
const isUnknown = (wanted: string) => expect(places().locate(wanted)).rejects.toThrow(AWAY);
const contentsOf = (digests: readonly string[]) =>
  digests.map((one, index) => ({ digest: one, size: SIZE, offset: SIZE * index }));
const filled = (name: string, digests: readonly string[]) => ({
  name,
  size: SIZE * digests.length,
  contents: contentsOf(digests),
});
const place = async (name: string, ...digests: readonly string[]) => {
  await cluster.store.contentObjects.intend(name, 0);
  await cluster.store.contentObjects.place(filled(name, digests), crypto.randomUUID(), 0);
};
const publish = async (...digests: readonly string[]) => {
  const files = digests.map((one) => ({ path: one[0] as string, digest: one, size: SIZE }));
  return publishDeployment(cluster.store, { ...facts, siteName: "demo", files });
};
const encode = async (...digests: readonly string[]) => {
  const encoder = { holder: "me", now: 0 };
  const claims = await cluster.store.encodings.claim({ ...encoder, until: 9 }, 9);
  const outcomes = claims.map((claim) => ({
    ...claim,
    encodings: digests.includes(claim.digest) ? { gzip: { digest: ENCODED, size: SIZE } } : {},
  }));
  await cluster.store.encodings.record(outcomes, 0);
};

describe("without the database, a node finds", () => {
  test("files that were published and their encodings", async () => {
    await startNode();
    await place("one", A, B);
    await publish(A, B);
    expect(await whereIs(B)).toBe(`one 10 ${SIZE} 5`);
    await place("two", ENCODED);
    await isUnknown(ENCODED);
    await encode(A);
    expect(await whereIs(ENCODED)).toBe(`two 5 ${SIZE} 0`);
    expect(await places().contentsOf("one")).toEqual(contentsOf([A, B]));
    expect(await places().contentsOf("two")).toEqual(contentsOf([ENCODED]));
  });

  test("files that a later upload or the collection of packs has put elsewhere, even before they are encoded", async () => {
    await startNode();
    await place("one", A, B);
    const { deployment } = await publish(A, B);
    await place("two", A);
    await cluster.store.contentObjects.intend("three", 0);
    await cluster.store.contentObjects.move(filled("three", [B]), "one");
    await node.membership.catchUp();
    expect(await Promise.all([A, B].map(whereIs))).toEqual([`two 5 ${SIZE} 0`, `three 5 ${SIZE} 0`]);
    await expect(places().contentsOf("one")).rejects.toThrow(AWAY);
    expect(node.store.files.find(deployment.id, "a")).toMatchObject({ isEncoded: false });
  });

  test("files that were there before it, also of deployments that nobody visited", async () => {
    await place("one", A, B, ENCODED);
    const former = await publish(A);
    await publish(B);
    await encode(B);
    await startNode();
    const loading = openReplica(node.file, () => {});
    await newLoadAhead(cluster.connection, loading).run();
    expect(await Promise.all([A, B, ENCODED].map(whereIs))).toEqual([
      `one 15 ${SIZE} 0`,
      `one 15 ${SIZE} 5`,
      `one 15 ${SIZE} 10`,
    ]);
    expect(node.store.files.has(former.deployment.id, "a")).toBe(true);
    expect(loading.lackingFiles()).toEqual([]);
    loading.close();
  });

  test("files of a large deployment once it has renewed its lease", async () => {
    await startNode({ maxFilesAtOnce: 1 });
    await place("one", A, B);
    const { deployment } = await publish(A, B);
    while (!node.store.files.has(deployment.id, "a")) {
      await node.membership.renew();
      await Bun.sleep(1);
    }
    expect(await whereIs(A)).toBe(`one 10 ${SIZE} 0`);
  });

  test("files after it has read everything again", async () => {
    await startNode();
    await place("one", A, B);
    await publish(A, B);
    await place("two", A);
    await cluster.connection.write((tx) => tx.execute(sql`DELETE FROM changes`));
    await publish(C);
    await node.membership.catchUp();
    expect(await Promise.all([A, B].map(whereIs))).toEqual([`two 5 ${SIZE} 0`, `one 10 ${SIZE} 5`]);
  });

  test("no content by another digest that begins alike, and nothing that the database has lost", async () => {
    await startNode();
    await place("one", A, NEAR_A, ENCODED);
    await publish(A);
    await encode(A);
    await publish(NEAR_A);
    const found = (digests: readonly string[]) => Promise.all(digests.map(whereIs));
    expect(await found([A, NEAR_A, ENCODED])).toEqual([0, 5, 10].map((offset) => `one 15 ${SIZE} ${offset}`));
    await cluster.connection.write(async (tx) => {
      await tx.execute(sql`DELETE FROM content_locations WHERE digest = ${A}`);
      await tx.execute(sql`DELETE FROM encodings`);
      await tx.execute(sql`DELETE FROM changes`);
    });
    await publish(C);
    await node.membership.catchUp();
    await isUnknown(A);
    await isUnknown(ENCODED);
    expect(await whereIs(NEAR_A)).toBe(`one 15 ${SIZE} 5`);
  });

  test("a content that is also an encoding, wherever it is moved", async () => {
    await startNode();
    await place("one", A, ENCODED);
    await publish(A, ENCODED);
    await encode(A);
    await place("two", ENCODED);
    await node.membership.catchUp();
    expect(await whereIs(ENCODED)).toBe(`two 5 ${SIZE} 0`);
    expect(await places().contentsOf("two")).toEqual(contentsOf([ENCODED]));
  });

  test("every other file if the record of one is damaged", async () => {
    await place("one", A, B);
    const { deployment } = await publish(A, B);
    await cluster.connection.write((tx) => tx.execute(sql`UPDATE contents SET digest = 'x' WHERE digest = ${B}`));
    await startNode();
    await node.store.deployments.rules(deployment.id);
    expect(await whereIs(A)).toBe(`one 10 ${SIZE} 0`);
    expect(() => node.store.files.find(deployment.id, "b")).toThrow('"b" has content "", which is no SHA-256 digest');
  });

  test("files in another bucket once the records name it", async () => {
    await startNode();
    await publish(A);
    await isUnknown(A);
    await place("one", A);
    await cluster.store.contentObjects.setBucket({ owner: "me", url: "s3://other" });
    expect(await whereIs(A)).toBe(`one 5 ${SIZE} 0`);
  });
});

test("a node forgets the places of deployments that are gone, and asks the database for what it does not know", async () => {
  await startNode();
  await place("one", A, B, C);
  await publish(A, B);
  const kept = await publish(B);
  await cluster.store.retention.deleteDeployments(kept.site.id, [kept.deployment.id - 1], 0);
  const rows = (table: string) => replica.query(`SELECT count(*) AS count FROM ${table}`).get();
  expect([await whereIs(B), rows("representations")]).toEqual([`one 15 ${SIZE} 5`, { count: 1 }]);
  await isUnknown(A);
  expect(await node.store.contentPlaces.locate(C)).toMatchObject({ object: "one", offset: 10 });
  await cluster.store.sites.delete(kept.site.id, 0, 0);
  expect([rows("representations"), rows("content_objects")]).toEqual([{ count: 0 }, { count: 0 }]);
});
