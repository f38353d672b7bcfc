import { expect } from "bun:test";
import { systemTimers } from "../../clients/system/timers.ts";
import { HourCount } from "../../domain/analytics/view-deltas.ts";
import { makeEventStreams } from "../../domain/events/streams.ts";
import { NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import type { ToldGroups } from "../../domain/model/group.ts";
import type { Site } from "../../domain/model/site.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { needing } from "../../testing/needing.ts";
import { exchangeTaken } from "../../workers/throttle-exchange.ts";
import { newThrottleTable, sharedThrottle } from "../../workers/throttle-table.ts";
import { addPerson, addSession, addSite } from "../contract/people.ts";
import { CERTIFICATE, webhookOf } from "../contract/records.ts";
import { freshCluster, type TestNode } from "./testing/fresh-cluster.ts";

// What must hold over several nodes. Each has its own connections and its own replica.

const { afterAll, beforeAll, beforeEach, describe, test } = needing("postgres");
const cluster = freshCluster();

let node: TestNode;
let one: Store;
let two: Store;
let owner: User;
let site: Site;
beforeAll(async () => {
  node = await cluster.startNode("two");
  [one, two] = [cluster.store, node.store];
});
beforeEach(async () => {
  await node.membership.catchUp();
  owner = await addPerson(one, "ada");
  site = await addSite(one, "demo", owner.id, true);
});
afterAll(() => node.stop());

const NOW = 1_800_000_000_000;
const clock = { now: () => NOW };
const host = "demo.example";

describe("at once, every node has", () => {
  test("aliases, renamed and deleted sites", async () => {
    await one.previews.setAlias(site.id, { name: "pr-1", deploymentNumber: 1, expiresAt: null, at: 0 });
    expect(await two.previews.findRoute(site.id, "pr-1")).toMatchObject({ deploymentNumber: 1 });
    await two.previews.deleteAlias(site.id, "pr-1");
    expect(await one.previews.findRoute(site.id, "pr-1")).toBeNull();
    await two.sites.delete(site.id, 0, 0);
    expect(await one.sites.findRoute("demo")).toBeNull();
  });

  test("sessions, readers, and what they may see", async () => {
    const reader = await addPerson(one, "grace");
    const sessionId = await addSession(one, reader.id, NOW + 9, NOW + 9);
    const added = await one.readers.add(site.id, reader, 0);
    const code = {
      codeHash: "code",
      stateHash: "state",
      host,
      siteId: site.id,
      userId: reader.id,
      sessionId,
      path: "/",
    };
    await one.visits.addCode({ ...code, expiresAt: NOW + 9 });
    const use = { host, siteId: site.id, stateHash: "state", now: NOW };
    await two.visits.redeem("code", use, { tokenHash: "visit", expiresAt: NOW + 9 });
    const verdicts = () => Promise.all([one, two].map(({ visits }) => visits.check("visit", host, site.id, NOW)));
    expect(await verdicts()).toEqual(["admitted", "admitted"]);
    await one.readers.delete(site.id, typeof added === "string" ? 0 : added.id);
    expect(await verdicts()).toEqual(["refused", "refused"]);
    await two.sessions.revoke(sessionId, reader.id);
    expect(await one.sessions.find(sessionId)).toBeNull();
  });

  test("groups of the provider, which end at once", async () => {
    const grace = {
      provider: "oidc",
      subject: "https://id.example#1",
      login: "grace",
      name: null,
      avatarUrl: null,
    } as const;
    const signIn = (groups: ToldGroups) => two.users.admit({ ...grace, groups }, NOW, "open");
    await one.members.set(site.id, { group: "team" }, { role: "deployer", addedBy: site.ownerId, at: 0 });
    const { id } = await signIn({ outcome: "told", names: ["team"] });
    const roles = () => Promise.all([one, two].map(({ sites }) => sites.roleOf(site.id, id, NOW)));
    expect(await roles()).toEqual(["deployer", "deployer"]);
    await signIn({ outcome: "absent", names: [] });
    expect(await roles()).toEqual([null, null]);
    await signIn({ outcome: "told", names: ["team"] });
    await one.members.remove(site.id, { group: "team" }, NOW);
    expect(await roles()).toEqual([null, null]);
  });

  test("shares", async () => {
    const secret = { id: "a", siteId: site.id, label: "a", target: "", secretHash: "secret", passwordHash: null };
    await one.shares.add({ ...secret, kind: "link", createdAt: 0, expiresAt: NOW + 9 }, 9);
    const at = { siteId: site.id, host, target: "" };
    await two.shares.enter({ shareId: "a", tokenHash: "visit", host, createdAt: 0, expiresAt: NOW + 9 }, 9);
    expect(await one.shares.admits("visit", at, NOW)).toBe(true);
    await one.shares.delete(site.id, "a");
    expect(await two.shares.admits("visit", at, NOW)).toBe(false);
  });

  test("challenges, before the CA is told of them", async () => {
    const challenge = { type: "http-01", name: "token", value: "authorization" } as const;
    await one.acme.publishChallenge({ ...challenge, expiresAt: NOW + 9 });
    expect(two.acme.challengeValues("http-01", "token", NOW)).toEqual(["authorization"]);
    await two.acme.withdrawChallenge(challenge);
    expect(one.acme.challengeValues("http-01", "token", NOW)).toEqual([]);
  });
});

describe("streams of events", () => {
  const streamsOf = (store: Store) =>
    makeEventStreams({
      store,
      slots: { take: () => () => {} },
      clock,
      timers: systemTimers,
      report(error) {
        throw error;
      },
    });
  const open = async (store: Store) => {
    const sessionId = await addSession(store, owner.id, NOW + 99, NOW + 99);
    const streams = streamsOf(store);
    const stream = await streams.open({ kind: "session", user: owner, sessionId, at: 0, signedInAt: null }, null);
    await stream.next();
    return { next: async () => (await stream.next())?.messages.map(({ type }) => type), stop: () => streams.stop() };
  };

  test("receive changes made on any node, also after other streams have ended", async () => {
    const former = await open(two);
    former.stop();
    const streams = [await open(one), await open(two)];
    const arrivals = streams.map(({ next }) => next());
    await one.sites.setPrivate(site.id, false);
    expect(await Promise.all(arrivals)).toEqual([["access.changed"], ["access.changed"]]);
    const later = streams.map(({ next }) => next());
    await two.sites.setPrivate(site.id, true);
    expect(await Promise.all(later)).toEqual([["access.changed"], ["access.changed"]]);
    for (const { stop } of streams) stop();
  });
});

describe("what must happen once", () => {
  test("views are counted once, even if the response to them was lost", async () => {
    const delta = Object.assign(new HourCount(site.id, 24), { views: 3 });
    const batch = (writer: string, number: number) => ({ writer, number });
    await one.views.add([delta], batch("thread of one", 1));
    await one.views.addRelaxed([delta], batch("thread of one", 1));
    await Promise.all([
      two.views.add([delta], batch("thread of two", 1)),
      one.views.add([delta], batch("thread of one", 2)),
      one.views.add([delta], batch("thread of one", 2)),
    ]);
    expect(await two.views.days(site.id, 1, 1)).toMatchObject([{ views: 9 }]);
    await one.views.deleteHoursBefore(24);
    await one.views.add([delta], batch("thread of one", 2));
    expect(await one.views.days(site.id, 1, 1)).toMatchObject([{ views: 9 }]);
  });

  test("each delivery of a webhook is taken by one node", async () => {
    const ids = Array.from({ length: 8 }, (_, n) => `hook-${n}`);
    const { id: siteId } = site;
    for (const id of ids) {
      await one.webhooks.add(webhookOf(siteId, { id }), 9);
      await one.webhooks.notify(id, { type: "ping", data: {} }, 0);
    }
    const turn = { now: 50, horizon: 1000, restHorizon: 1000, until: 80, limit: 3, maxOfOwner: 99, maxFailing: 99 };
    const takes = Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? one : two).webhooks.takeDue(turn));
    const taken = (await Promise.all(takes)).flat().map(({ webhook }) => webhook.id);
    expect(taken.toSorted()).toEqual(ids);
  });

  test("an order of a certificate is placed by the node that has the lease, and no other can store one", async () => {
    const wanted = { identifiers: ["www.example.org"], challenge: "http-01", origin: "claim" } as const;
    await one.certificates.want(wanted);
    const take = (store: Store, holder: string, now: number) =>
      store.jobs.takeLease("renew-certificates", { holder, now, until: now + 10, longest: 10 });
    const epochs = await Promise.all([take(one, "one", 0), take(two, "two", 0)]);
    expect(epochs.toSorted()).toEqual([1, null]);
    // The holder stops for longer than its lease.
    expect(await take(two, "another", 20)).toBe(2);
    const lease = { name: "renew-certificates", epoch: 1 };
    const { install } = one.certificates;
    const late = install("www.example.org", CERTIFICATE, { orderedAt: 0, at: 0 }, NO_ATTEMPTS, lease);
    await expect(late).rejects.toThrow("another holder has the lease");
  });
});

test("rates hold for all nodes together", async () => {
  const nodes = [one, two].map((store, index) => {
    const table = newThrottleTable({ count: 60, window: 60_000 }, NOW, true);
    const ports = { exchange: store.nodes!.rates, node: `${index}`, clock, timers: systemTimers };
    return { throttle: sharedThrottle(table, clock), stop: exchangeTaken({ api: null, visit: table }, ports), table };
  });
  await until(() => nodes[0]!.table.seed[0] === nodes[1]!.table.seed[0]);
  for (let visit = 0; visit < 60; visit++) expect(nodes[0]!.throttle.take("ada")).toBe(0);
  // To ask whether a visit is refused would count as one.
  await until(() => nodes[1]!.table.fullAt.some((at) => at !== 0));
  expect(nodes[1]!.throttle.take("ada")).toBeGreaterThan(0);
  for (const { stop } of nodes) stop();
});

/** Waits for something that happens within a second. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await Bun.sleep(20);
}
