import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession, addSite } from "../contract/people.ts";
import { publicationOf, publishDeployment } from "../contract/publication.ts";
import { findContents, markLegacyTexts } from "../store/manifests.ts";
import { rowsOf } from "../store/rows.ts";
import { changes, contents, sites } from "../store/schema.ts";
import { connect } from "./connection.ts";
import { postgresStore } from "./store.ts";
import { freshStore } from "./testing/fresh-store.ts";
import { makeEmptyDatabase } from "./testing/make-database.ts";

// Races that cannot happen in SQLite, which has a single writer. Each of the two stores has its own connections, like a
// node.

const { beforeEach, test } = needing("postgres");
const fresh = freshStore();

let ownerId: number;
let sessionId: number;
beforeEach(async () => {
  ownerId = (await addPerson(fresh.store, "ada")).id;
  sessionId = await addSession(fresh.store, ownerId);
});

/** The transactions that wait for another one. */
const WAITING = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const digest = (n: number) => `${n}`.padStart(64, "0");
const storeOf = (n: number) => (n % 2 === 0 ? fresh.store : fresh.other);
const filesOf = (n: number) => {
  const files = [1, 2, 3].map((file) => ({ path: `${file}`, digest: digest(file), size: 1 }));
  return n % 3 === 0 ? files.toReversed() : files;
};
const publish = (n: number, { siteName = "demo", reused = [] as readonly string[] } = {}) =>
  publicationOf({ siteName, ownerId, sessionId, files: filesOf(n), reused });
const outcomesOf = async (results: readonly Promise<{ readonly outcome: string }>[]) => {
  const outcomes = (await Promise.all(results)).map(({ outcome }) => outcome);
  return Object.fromEntries([...Map.groupBy(outcomes, (outcome) => outcome)].map(([name, all]) => [name, all.length]));
};

test("numbers simultaneous publications consecutively, even if the first one creates the site", async () => {
  const results = Array.from({ length: 12 }, (_, n) => storeOf(n).deployments.publish(publish(n)));
  expect(await outcomesOf(results)).toEqual({ published: 12 });
  const numbers = (await Promise.all(results)).map((result) => ("deployment" in result ? result.deployment.number : 0));
  expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  const site = await fresh.store.sites.find("demo");
  expect(site?.activeDeployment).toBe(12);
});

test("keeps simultaneous publications within the quota of their owner, regardless of their sites", async () => {
  const quota = { sites: null, bytes: 12 };
  const results = Array.from({ length: 8 }, (_, n) =>
    storeOf(n).deployments.publish(publish(n, { siteName: `site-${n}` }), quota),
  );
  expect(await outcomesOf(results)).toEqual({ published: 4, over_quota: 4 });
});

test("does not condemn content that a simultaneous publication uses, or refuses the publication", async () => {
  const all = [1, 2, 3].map(digest);
  for (let round = 0; round < 8; round++) {
    const demo = { siteName: "demo", ownerId, sessionId };
    const published = await publishDeployment(fresh.store, { ...demo, files: filesOf(round) });
    await publishDeployment(fresh.store, demo);
    await fresh.store.retention.deleteDeployments(published.site.id, [published.deployment.id], 0);
    const [again] = await Promise.all([
      fresh.other.deployments.publish(publish(round, { siteName: `other-${round}`, reused: all })),
      Array.fromAsync(fresh.store.contents.condemnUnreferenced(99, 99, 1000)),
    ]);
    const condemned = await fresh.store.contents.listCondemned(1000, "", 9);
    const rightly = again.outcome === "published" ? [] : all;
    expect([round, again.outcome, condemned]).toEqual([round, again.outcome, rightly]);
    await fresh.store.deployments.publish(publish(round, { siteName: `other-${round}` }));
    const site = await fresh.store.sites.find(`other-${round}`);
    await fresh.store.sites.delete(site?.id ?? 0, 0, 0);
  }
});

test("does not remove a deployment that is pinned, aliased or active when the removal starts", async () => {
  const published = await publishDeployment(fresh.store, { siteName: "demo", ownerId, sessionId, files: filesOf(0) });
  const siteId = published.site.id;
  for (let n = 2; n <= 6; n++) await fresh.store.deployments.publish(publish(0));
  const listed = await fresh.store.retention.listDeployments(siteId);
  const [removed, pinned, alias, activated] = await Promise.all([
    fresh.store.retention.deleteDeployments(
      siteId,
      listed.map(({ id }) => id),
      0,
    ),
    fresh.other.retention.setPinned(siteId, 1, true),
    fresh.other.previews.setAlias(siteId, { name: "next", deploymentNumber: 2, expiresAt: null, at: 0 }),
    fresh.other.deployments.activate(siteId, 3, 0),
  ]);
  const kept = (await fresh.store.deployments.list(siteId, { limit: 9, before: null })).map(({ number }) => number);
  expect([removed.includes(1), kept.includes(1)]).toEqual([!pinned, pinned]);
  expect([removed.includes(2), kept.includes(2)]).toEqual([alias === "missing", alias !== "missing"]);
  expect([removed.includes(3), kept.includes(3)]).toEqual([activated === null, activated !== null]);
});

test("a frozen owner's change affects a site that is added at the same time", async () => {
  await using held = new AsyncDisposableStack();
  const { url, close } = await makeEmptyDatabase();
  held.defer(close);
  const connection = connect(url, { max: 3 });
  const store = postgresStore(connection);
  held.defer(() => store.close());
  const owner = await addPerson(store as never, "ada");
  const added = Promise.withResolvers<number>();
  const mayCommit = Promise.withResolvers<void>();
  const adding = connection.write(async (tx) => {
    const site = { name: "new", ownerId: owner.id, private: false, createdAt: 0, lastDeployedAt: 0, lastNumber: 0 };
    const [row] = await tx.insert(sites).values(site).returning({ id: sites.id });
    added.resolve(row!.id);
    await mayCommit.promise;
  });
  const siteId = await added.promise;
  let isFrozen = false;
  const freezing = store.users.setFrozen(owner.id, { at: 0, reason: null }).finally(() => {
    isFrozen = true;
  });
  while (!isFrozen && (await connection.read((db) => rowsOf(db, WAITING))).length === 0);
  mayCommit.resolve();
  await Promise.all([adding, freezing]);
  const logged = await connection.read((db) => db.select({ sites: changes.sites }).from(changes));
  expect(logged).toEqual([{ sites: [siteId] }]);
});

test("two publications that mark the same contents do not wait for each other", async () => {
  await using held = new AsyncDisposableStack();
  const { url, close } = await makeEmptyDatabase();
  held.defer(close);
  const connection = connect(url, { max: 3 });
  held.defer(() => connection.close());
  const digests = [1, 2, 3].map(digest);
  const rows = digests.map((one) => ({ digest: one, size: 1, publishedAt: 0 }));
  await connection.write((tx) => tx.insert(contents).values(rows));
  let attempts = 0;
  const mark = (beforeMarking: () => Promise<void>) =>
    connection.write(async (tx) => {
      attempts++;
      await findContents(tx, digests, { forMarking: true });
      await beforeMarking();
      await markLegacyTexts(tx, digests);
    });
  const found = Promise.withResolvers<void>();
  const first = mark(async () => {
    found.resolve();
    while ((await connection.read((db) => rowsOf(db, WAITING))).length === 0);
  });
  await found.promise;
  await Promise.all([first, mark(async () => {})]);
  expect(attempts).toBe(2);
});

test("reads the log of event streams during a change without taking its event for a dropped one", async () => {
  const { id } = await addSite(fresh.store, "demo", ownerId, false);
  const { sites, liveEvents } = fresh.store;
  let seen = await liveEvents.newestId();
  let isChanging = true;
  const changing = (async () => {
    for (let n = 0; n < 100; n++) await sites.setTags(id, [`tag-${n}`]);
    isChanging = false;
  })();
  while (isChanging) {
    const events = await fresh.other.liveEvents.after(seen, Number.MAX_SAFE_INTEGER, 1000);
    expect(events).not.toBeNull();
    seen = events?.at(-1)?.id ?? seen;
  }
  await changing;
});
