import { beforeEach, expect, test } from "bun:test";
import { leaseHolder } from "../../domain/claims/check-lease.ts";
import type { Claim, NewClaim } from "../../domain/model/claim.ts";
import type { ClaimCreation } from "../../domain/ports/store/claims.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DAY, HOUR, MINUTE } from "../../domain/timestamp.ts";
import { addClaim } from "./add-claim.ts";
import { addPerson, addSite } from "./people.ts";

const T0 = Date.UTC(2026, 0, 1);
const UNLIMITED = { rates: [], mostPending: null };
const LIMITS = {
  ...UNLIMITED,
  rates: [
    { count: 3, window: MINUTE },
    { count: 5, window: DAY },
  ],
};

/** The contract of claims. `open` returns a new store, `other` a second connection to it. */
export function claimContract(open: () => Store, other: () => Store): void {
  let store: Store;
  let owners: [number, number];
  let sites: [number, number];
  let made = 0;

  beforeEach(async () => {
    store = open();
    owners = [(await addPerson(store, "ada")).id, (await addPerson(store, "bob")).id];
    sites = [(await addSite(store, "ada", owners[0], false)).id, (await addSite(store, "bob", owners[1], false)).id];
  });

  /** A new claim of the first or the second owner. */
  const newClaim = (hostname: string, who: 0 | 1 = 0, createdAt = T0): NewClaim => {
    made++;
    const token = (kind: string) => `${kind}${made}`;
    const tokens = { proofToken: token("proof"), probeToken: token("probe"), probeResponse: token("answer") };
    return { hostname, siteId: sites[who], ownerId: owners[who], createdAt, ...tokens };
  };
  const claimed = (hostname: string, who: 0 | 1 = 0, state: Partial<Claim> = {}): Promise<Claim> =>
    addClaim(store, newClaim(hostname, who), state);
  const verified = { status: "verified", verifiedAt: T0 } as const;
  const routed = { ...verified, routeStatus: "routed", routeGeneration: 1 } as const;

  test("the pending claims of a site are limited, independent of other sites", async () => {
    const create = (hostname: string, who: 0 | 1, createdAt = T0) =>
      store.claims.create(newClaim(hostname, who, createdAt), { rates: [], mostPending: 2 });
    await claimed("proven.example.org", 0, verified);
    await create("one.example.org", 0);
    expect((await create("two.example.org", 0, T0 + 1)).outcome).toBe("created");
    const refused = await create("three.example.org", 0, T0 + 2);
    expect(refused).toEqual({ outcome: "too_many_pending", retryAt: T0 + 7 * DAY });
    expect((await create("three.example.org", 1, T0 + 2)).outcome).toBe("created");
  });

  test("a claim is stored with every field, and changed by revision", async () => {
    const claim = await claimed("www.example.org");
    const changed: Claim = {
      ...claim,
      ...routed,
      effectiveMode: "proxy",
      mode: "proxy",
      lastError: "something",
      diagnostics: {
        checkedAt: T0,
        consecutiveFailures: 2,
        generation: 1,
        rangesVersion: "2023-09-28",
        dns: { status: "ok", error: null },
        edgeTls: { status: "ok", error: null },
        edgeHttp: {
          status: "error",
          error: "x",
          address: "104.16.0.1",
          edgeCacheStatus: "HIT",
          edgeRay: "r",
          redirectLocation: null,
          statusCode: 404,
        },
        httpForwarding: { status: "ok", error: null, statusCode: 200 },
        origin: { status: "pending", error: null },
        ownership: { status: "pending", error: null },
      },
      nextCheckAt: null,
    };
    expect(await store.claims.save([changed], T0)).toBe("saved");
    expect(await store.claims.find(claim.id)).toEqual({ ...changed, revision: claim.revision + 1 });
    expect(await store.claims.save([{ ...claim, lastError: "late" }], T0)).toBe("conflict");
    expect(await store.claims.find(claim.id)).toMatchObject({ lastError: "something" });
  });

  test("several claims are saved together or not at all", async () => {
    const [one, two] = [await claimed("one.example.org"), await claimed("two.example.org")];
    await store.claims.save([two], T0);
    expect(await store.claims.save([{ ...one, lastError: "x" }, two], T0)).toBe("conflict");
    expect(await store.claims.find(one.id)).toEqual(one);
  });

  test("a hostname is verified for one claim at a time, and routed for one", async () => {
    const first = await claimed("www.example.org");
    const second = await claimed("www.example.org", 1);
    await store.claims.save([{ ...first, ...routed }], T0);
    expect(await store.claims.save([{ ...second, ...verified }], T0)).toBe("conflict");
    expect(await store.claims.findHolder("www.example.org")).toMatchObject({ id: first.id });

    const holder = (await store.claims.find(first.id)) as Claim;
    const lost = { ...holder, status: "cancelled", routeStatus: "removing" } as const;
    expect(await store.claims.save([lost, { ...second, ...verified, routeStatus: "publishing" }], T0)).toBe("saved");
    const winner = (await store.claims.find(second.id)) as Claim;
    expect(await store.claims.save([{ ...winner, routeStatus: "routed" }], T0)).toBe("route_taken");
    const removing = (await store.claims.find(first.id)) as Claim;
    await store.claims.save([{ ...removing, routeStatus: "removed" }], T0);
    expect(await store.claims.save([{ ...winner, routeStatus: "routed" }], T0)).toBe("saved");
  });

  test("creation returns who holds a hostname", async () => {
    await claimed("www.example.org");
    const outcome = async (hostname: string, who: 0 | 1) =>
      (await store.claims.create(newClaim(hostname, who), UNLIMITED)).outcome;
    expect(await outcome("www.example.org", 0)).toBe("held_by_owner");
    expect(await outcome("www.example.org", 1)).toBe("created");
    await claimed("held.example.org", 0, verified);
    expect(await outcome("held.example.org", 1)).toBe("verified_elsewhere");
    await claimed("ended.example.org", 0, { ...verified, status: "cancelled" });
    expect(await outcome("ended.example.org", 1)).toBe("created");
  });

  test("creations are counted over a sliding window, and refused ones are not", async () => {
    const at = async (time: number): Promise<ClaimCreation> =>
      store.claims.create(newClaim(`n${made}.example.org`, 0, time), LIMITS);
    for (const time of [T0, T0 + 10, T0 + 20]) expect((await at(time)).outcome).toBe("created");
    expect(await at(T0 + 30)).toEqual({ outcome: "too_many", retryAt: T0 + MINUTE });
    expect((await at(T0 + MINUTE)).outcome).toBe("created");
    expect(await at(T0 + MINUTE + 5)).toEqual({ outcome: "too_many", retryAt: T0 + MINUTE + 10 });
    expect((await at(T0 + HOUR)).outcome).toBe("created");
    expect(await at(T0 + 2 * HOUR)).toEqual({ outcome: "too_many", retryAt: T0 + DAY });
    const somebodyElse = await store.claims.create(newClaim("other.example.org", 1, T0 + 2 * HOUR), LIMITS);
    expect(somebodyElse.outcome).toBe("created");
  });

  test("one check runs at a time over all connections, and others share its result for a moment", async () => {
    const { id } = await claimed("www.example.org");
    const second = other();
    const turn = (holder: string, now: number) => ({ holder, now, until: now + 30_000, shareFor: 1000 });
    expect(await store.claims.takeCheck(id, turn("a", T0))).toEqual({ outcome: "begun" });
    expect(await second.claims.takeCheck(id, turn("b", T0 + 5))).toEqual({ outcome: "running" });
    expect(await second.claims.takeCheck(id, turn("b", T0 - 5))).toEqual({ outcome: "running" });
    await second.claims.releaseCheck(id, { holder: "b", now: T0 + 6, silent: false });
    expect(await second.claims.takeCheck(id, turn("b", T0 + 7))).toEqual({ outcome: "running" });
    await store.claims.releaseCheck(id, { holder: "a", now: T0 + 10, silent: true });
    expect(await second.claims.takeCheck(id, turn("b", T0 + 8))).toEqual({ outcome: "done", silent: true });
    expect(await second.claims.takeCheck(id, turn("b", T0 + 1009))).toEqual({ outcome: "done", silent: true });
    expect(await second.claims.takeCheck(id, turn("b", T0 + 1010))).toEqual({ outcome: "begun" });
    expect(await store.claims.takeCheck(id, turn("a", T0 + 31_010))).toEqual({ outcome: "begun" });
    expect(await store.claims.takeCheck(id, turn("c", T0 - 400 * DAY))).toEqual({ outcome: "begun" });
  });

  test("a node ends its own unfinished checks and no others", async () => {
    const { id } = await claimed("www.example.org");
    const turn = (node: string) => {
      return { holder: leaseHolder(node, "a"), now: T0, until: T0 + 30_000, shareFor: 1000 };
    };
    await store.claims.takeCheck(id, turn("one"));
    await other().claims.endChecks("other");
    expect(await store.claims.takeCheck(id, turn("other"))).toEqual({ outcome: "running" });
    await other().claims.endChecks("one");
    expect(await store.claims.takeCheck(id, turn("other"))).toEqual({ outcome: "begun" });
  });

  test("claims are listed when they are due, and when a wrong clock planned them too far ahead", async () => {
    const due = async (now: number) => store.claims.listDue(now, now + DAY, 10);
    const soon = await claimed("soon.example.org", 0, { nextCheckAt: T0 + 5 });
    const sooner = await claimed("sooner.example.org", 0, { nextCheckAt: T0 + 4 });
    const far = await claimed("far.example.org", 0, { nextCheckAt: T0 + 400 * DAY });
    const ended = await claimed("ended.example.org", 0, { status: "expired", nextCheckAt: null });
    const leaving = { ...routed, routeStatus: "removing", withdrawnAt: T0, nextCheckAt: T0 } as const;
    const removing = await claimed("removing.example.org", 0, leaving);
    expect(await due(T0 + 4)).toEqual([sooner.id, far.id]);
    expect(await due(T0 + 5)).toEqual([sooner.id, soon.id, far.id]);
    expect(await store.claims.listDue(T0 + 5, T0 + DAY, 1)).toEqual([sooner.id]);
    expect(await store.claims.listRemovals(T0, T0 + DAY, 10)).toEqual([removing.id]);
    expect(await store.claims.listExpired(T0 + 7 * DAY, 10)).not.toContain(ended.id);
    expect(await store.claims.listExpired(T0 + 7 * DAY - 1, 10)).toEqual([]);
    expect(await store.claims.listExpired(T0 + 7 * DAY, 10)).toContain(soon.id);
    await store.claims.postpone(soon.id, T0 + HOUR);
    expect(await due(T0 + 5)).toEqual([sooner.id, far.id]);
    for (const { id } of [soon, sooner, ended]) await store.claims.bringForward(id, T0 + 5);
    expect(await due(T0 + 5)).toEqual([sooner.id, soon.id, far.id]);
  });

  test("a claim that was planned before the clock was set back is due, once", async () => {
    const claim = await claimed("www.example.org", 0, { nextCheckAt: T0 + 4 * HOUR });
    const due = async (now: number) => store.claims.listDue(now, now + DAY, 10);
    expect(await due(T0)).toEqual([]);
    expect(await due(T0 - HOUR)).toEqual([claim.id]);
    const now = T0 - HOUR;
    await store.claims.takeCheck(claim.id, { holder: "a", now, until: now + MINUTE, shareFor: 0 });
    await store.claims.releaseCheck(claim.id, { holder: "a", now, silent: false });
    expect(await due(T0 - HOUR)).toEqual([]);
    expect(await due(T0 - 2 * HOUR)).toEqual([claim.id]);
  });

  test("a challenge is served while its claim is open", async () => {
    const claim = await claimed("www.example.org");
    const response = () => store.claims.findChallengeResponse(claim.probeToken);
    expect(await response()).toBe(claim.probeResponse);
    expect(await store.claims.findChallengeResponse(claim.probeResponse)).toBeNull();
    await store.claims.save([{ ...claim, ...routed, withdrawnAt: T0 }], T0);
    expect(await response()).toBeNull();
  });

  test("routes are found by hostname, and their changes increment the generation", async () => {
    const claim = await claimed("www.example.org", 0, { ...verified, routeStatus: "publishing" });
    const second = other();
    expect(await second.claims.findRouted("www.example.org")).toBeNull();
    const before = second.generation();
    await store.claims.save([{ ...claim, routeStatus: "routed" }], T0);
    expect(second.generation()).not.toBe(before);
    expect(await second.claims.findRouted("www.example.org")).toMatchObject({ siteId: sites[0], siteName: "ada" });
    expect(await second.claims.listRouted()).toEqual(["www.example.org"]);
    await store.sites.setFrozen(sites[0], { at: T0, reason: null });
    expect(await second.claims.findRouted("www.example.org")).toMatchObject({ siteName: "ada", frozen: true });
    const now = (await store.claims.find(claim.id)) as Claim;
    const routedAt = second.generation();
    await store.claims.save([{ ...now, routeStatus: "removing" }], T0);
    expect(second.generation()).not.toBe(routedAt);
    expect(await second.claims.findRouted("www.example.org")).toBeNull();
  });

  test("the route of a hostname has its alias, and such a hostname is never canonical", async () => {
    const claim = { ...newClaim("beta.example.org"), alias: "beta" };
    await addClaim(store, claim, { ...routed, activatedAt: T0 });
    expect(await store.claims.findRouted("beta.example.org")).toMatchObject({ siteName: "ada", alias: "beta" });
    expect(await store.claims.canonicalHostname(sites[0])).toBeNull();
  });

  test("the canonical hostname is the one that has been connected longest", async () => {
    expect(await store.claims.canonicalHostname(sites[0])).toBeNull();
    await claimed("new.example.org", 0, { ...routed, activatedAt: T0 + 9 });
    await claimed("old.example.org", 0, { ...routed, activatedAt: T0 + 1 });
    await claimed("never.example.org", 0, routed);
    expect(await store.claims.canonicalHostname(sites[0])).toBe("old.example.org");
  });

  test("a site can be deleted only when its claims have ended, which are kept", async () => {
    const claim = await claimed("www.example.org");
    const remove = () => store.sites.delete(sites[0], T0, T0);
    expect(await remove()).toBe("has_domains");
    await store.claims.save([{ ...claim, ...verified, status: "cancelled", routeStatus: "removing" }], T0);
    expect(await remove()).toBe("has_domains");
    const removing = (await store.claims.find(claim.id)) as Claim;
    await store.claims.save([{ ...removing, routeStatus: "removed" }], T0);
    const expired = await claimed("expired.example.org", 0, { status: "expired" });
    expect(await remove()).toBe("deleted");
    expect(await store.claims.find(expired.id)).toMatchObject({ siteId: null, siteName: null, status: "expired" });
    expect(await store.claims.listOfSite(sites[0])).toEqual([]);
  });

  test("the claims of a site are listed newest first", async () => {
    const ids = [await claimed("a.example.org"), await claimed("b.example.org")].map(({ id }) => id);
    await claimed("c.example.org", 1);
    expect((await store.claims.listOfSite(sites[0])).map(({ id }) => id)).toEqual(ids.reverse());
    expect(await store.claims.isClaimed(sites[0], "a.example.org")).toBeTrue();
    expect(await store.claims.isClaimed(sites[1], "a.example.org")).toBeFalse();
  });
}
