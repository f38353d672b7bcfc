import { beforeEach, describe, expect, test } from "bun:test";
import type { LiveEvent } from "../../domain/model/live-event.ts";
import type { Site } from "../../domain/model/site.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";

const ALL = { maxAge: Number.MAX_SAFE_INTEGER, limit: 1000 };
const CLAIM = { hostname: "www.example.org", proofToken: "proof", probeToken: "probe", probeResponse: "answer" };
const UNLIMITED = { rates: [], mostPending: 99 };
const SHARE = { label: "client", kind: "link", target: "", createdAt: 0, expiresAt: 1, passwordHash: null } as const;
const FREEZE = { at: 0, reason: null };

interface Scene {
  readonly store: Store;
  readonly owner: User;
  readonly reader: User;
  readonly site: Site;
}

/** Changes with their events, as `type audience details`. */
const CHANGES: readonly [what: string, change: (scene: Scene) => Promise<unknown>, events: readonly string[]][] = [
  ["an activation", ({ store, site }) => activateFirst(store, site), ["deployment.activated readers deployment 1"]],
  [
    "a private site",
    ({ store, site }) => store.sites.setPrivate(site.id, true),
    ["access.changed members", "sites.added people"],
  ],
  [
    "a public site",
    ({ store, site }) => store.sites.setPrivate(site.id, false),
    ["access.changed members", "access.changed people"],
  ],
  [
    "a frozen site",
    ({ store, site }) => store.sites.setFrozen(site.id, FREEZE),
    ["site.changed readers", "admin.changed operators"],
  ],
  [
    "a transfer",
    ({ store, site, reader }) =>
      store.sites.transfer(site.id, reader.id, { quota: { sites: null, bytes: null }, keep: [] }),
    ["access.changed people", "sites.added people", "site.changed readers", "admin.changed operators"],
  ],
  [
    "a deletion",
    ({ store, site }) => store.sites.delete(site.id, 0, 0),
    ["site.removed people", "admin.changed operators"],
  ],
  [
    "a removed reader",
    async ({ store, site }) => store.readers.delete(site.id, (await store.readers.list(site.id))[0]!.id),
    ["access.changed members", "access.changed people"],
  ],
  [
    "a moved alias",
    ({ store, site }) => store.previews.setAlias(site.id, { name: "pr", deploymentNumber: 1, expiresAt: null, at: 0 }),
    ["alias.moved members deployment 1 alias pr"],
  ],
  [
    "a claim",
    ({ store, site, owner }) =>
      store.claims.create({ ...CLAIM, siteId: site.id, ownerId: owner.id, createdAt: 0 }, UNLIMITED),
    ["site.changed members hostname www.example.org"],
  ],
  [
    "a pinned deployment",
    ({ store, site }) => store.retention.setPinned(site.id, 1, true),
    ["site.changed members deployment 1"],
  ],
  [
    "a share",
    ({ store, site }) => store.shares.add({ ...SHARE, id: "s", siteId: site.id, secretHash: "h" }, 9),
    ["access.changed members"],
  ],
  ["tags", ({ store, site }) => store.sites.setTags(site.id, ["docs"]), ["site.changed members"]],
  ["a frozen person", ({ store, owner }) => store.users.setFrozen(owner.id, FREEZE), ["sessions", "admin"]],
  ["an operator", ({ store, owner }) => store.users.setOperator(owner.id, true), ["sessions", "admin"]],
  ["a new password", ({ store, owner }) => store.users.setPassword(owner.id, "other"), ["sessions"]],
  ["a revoked session", async ({ store, owner }) => endSession(store, owner), ["sessions"]],
  ["a new person", ({ store }) => addPerson(store, "linus"), ["admin"]],
  ["a quota", ({ store, owner }) => store.quotas.setOwn(owner.id, { sites: 3 }), ["admin"]],
  ["a change that fails", ({ store }) => store.sites.delete(4711, 0, 0), []],
];

const SHORT: Readonly<Record<string, string>> = {
  sessions: "access.changed sessions",
  admin: "admin.changed operators",
};

/** The contract of the log of event streams. `open` and `openOther` return two connections to the same new store. */
export function liveEventContract(open: () => Store, openOther: () => Store): void {
  let scene: Scene;
  let start: number;

  beforeEach(async () => {
    const store = open();
    const owner = await addPerson(store, "ada");
    const reader = await addPerson(store, "grace");
    const site = await addSite(store, "demo", owner.id, true);
    await addSite(store, "demo", owner.id, true);
    await store.readers.add(site.id, reader, 0);
    scene = { store, owner, reader, site };
    start = await store.liveEvents.newestId();
  });

  const eventsAfter = async (since = start) => (await scene.store.liveEvents.after(since, ALL.maxAge, ALL.limit)) ?? [];

  test.each(CHANGES)("%s adds its events in its transaction", async (_, change, wanted) => {
    await change(scene);
    expect((await eventsAfter()).map(asText)).toEqual(wanted.map((text) => SHORT[text] ?? text));
  });

  test("the event of a new site precedes that of its deployment, and is sent to operators", async () => {
    await addSite(scene.store, "new", scene.owner.id, false);
    const types = (await eventsAfter()).map(({ type, audience }) => `${type} ${audience}`);
    expect(types.slice(0, 3)).toEqual([
      "sites.added members",
      "admin.changed operators",
      "deployment.published readers",
    ]);
  });

  test("the recipients of events of a lost or deleted site are stored, and its name only if it is deleted", async () => {
    const { store, site, owner, reader } = scene;
    await store.sites.delete(site.id, 0, 0);
    expect((await eventsAfter())[0]).toMatchObject({ siteId: null, siteName: "demo", userIds: [owner.id, reader.id] });
    const other = await addSite(store, "other", owner.id, true);
    const added = await store.readers.add(other.id, reader, 0);
    const before = await store.liveEvents.newestId();
    await store.readers.delete(other.id, typeof added === "string" ? 0 : added.id);
    expect((await eventsAfter(before))[1]).toMatchObject({ siteId: null, siteName: null, userIds: [reader.id] });
  });

  test("ids increase by one, and pages are contiguous", async () => {
    for (let count = 0; count < 5; count++) await scene.store.quotas.setOwn(scene.owner.id, { sites: count });
    const first = (await scene.store.liveEvents.after(start, ALL.maxAge, 2)) ?? [];
    expect(first.map(({ id }) => id)).toEqual([start + 1, start + 2]);
    expect((await eventsAfter(start + 2)).map(({ id }) => id)).toEqual([start + 3, start + 4, start + 5]);
    expect(await scene.store.liveEvents.newestId()).toBe(start + 5);
  });

  describe("reading after these returns null:", () => {
    beforeEach(async () => {
      for (let count = 0; count < 3; count++) await scene.store.quotas.setOwn(scene.owner.id, { sites: count });
    });
    const after = (id: number, maxAge = ALL.maxAge) => scene.store.liveEvents.after(id, maxAge, ALL.limit);

    test("an id that does not exist yet", async () => {
      expect(await after(start + 3)).toEqual([]);
      expect(await after(start + 4)).toBeNull();
    });

    test("events that are too old, unless nothing was missed", async () => {
      expect(await after(start, -1)).toBeNull();
      expect(await after(start + 3, -1)).toEqual([]);
    });

    test("events that were deleted because of their number or age; ids continue", async () => {
      const { liveEvents } = scene.store;
      expect(await liveEvents.deleteOld(ALL.maxAge, 2)).toBeGreaterThan(0);
      expect(await after(start)).toBeNull();
      expect((await after(start + 1))?.length).toBe(2);
      expect(await liveEvents.deleteOld(-1000, 2)).toBe(2);
      expect(await after(start + 2)).toBeNull();
      expect(await after(start + 3)).toEqual([]);
      await scene.store.quotas.setOwn(scene.owner.id, { sites: 9 });
      expect((await after(start + 3))?.map(({ id }) => id)).toEqual([start + 4]);
    });
  });

  test("the users who can see a site are its owner, and the readers of a private one", async () => {
    const { store, site, owner, reader } = scene;
    const { liveEvents } = store;
    expect(await liveEvents.audienceOf(site.id, 0)).toEqual({
      siteName: "demo",
      memberIds: [owner.id],
      readerIds: [reader.id],
    });
    await store.sites.setPrivate(site.id, false);
    expect((await liveEvents.audienceOf(site.id, 0))?.readerIds).toEqual([]);
    expect(await liveEvents.audienceOf(4711, 0)).toBeNull();
  });

  test("a watcher is notified of changes on other connections until it stops", async () => {
    const other = openOther();
    let called = Promise.withResolvers<void>();
    const stop = scene.store.liveEvents.watch(() => called.resolve());
    await other.quotas.setOwn(scene.owner.id, { sites: 1 });
    await called.promise;
    called = Promise.withResolvers();
    await scene.store.quotas.setOwn(scene.owner.id, { sites: 2 });
    await called.promise;
    stop();
  });
}

// --- internal ---

function asText({ type, audience, details }: LiveEvent): string {
  const { deployment_number: number, alias, hostname } = details;
  const parts = [type, audience, number && `deployment ${number}`, alias && `alias ${alias}`];
  return [...parts, hostname && `hostname ${hostname}`].filter((part) => part !== undefined).join(" ");
}

async function activateFirst(store: Store, site: Site): Promise<void> {
  await store.deployments.activate(site.id, 1, 0);
}

async function endSession(store: Store, { id }: User): Promise<void> {
  await store.sessions.revoke(await addSession(store, id), id);
}
