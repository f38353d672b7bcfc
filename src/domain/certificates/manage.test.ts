import { beforeEach, describe, expect, test } from "bun:test";
import { addClaim } from "../../storage/contract/add-claim.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { planNext } from "../claims/schedule.ts";
import { NO_ATTEMPTS } from "../model/certificate.ts";
import type { Claim } from "../model/claim.ts";
import type { Store } from "../ports/store.ts";
import { catchUpWithClaims, noCertificates, orderedCertificates, wantOwnCertificates } from "./manage.ts";
import { ManualClock } from "./testing/simulated-authority.ts";
import { wantedByServer } from "./wanted.ts";

const CA = "https://ca.example/directory";
const HOST = "pages.example.org";
const LATER = 1_000_000;

let store: Store;
let clock: ManualClock;

beforeEach(async () => {
  store = temporaryStore();
  clock = new ManualClock(Date.UTC(2027, 0, 1));
});

const ordered = () => orderedCertificates({ store, clock }, [CA]);

/** Stores a certificate for a claimed name. */
async function secured(name: string): Promise<void> {
  await ordered().request(name);
  const times = { notBefore: clock.time, notAfter: clock.time + 1000 };
  const certificate = { names: [name], chain: "chain", key: "key", ...times, authority: CA, renewalId: null };
  await store.certificates.install(name, certificate, { orderedAt: clock.time, at: clock.time }, NO_ATTEMPTS);
}

/** Returns a claim, connected by default, whose next check is planned for later. */
async function routed(hostname: string, more: Partial<Claim> = {}): Promise<number> {
  const { id: ownerId } = await addPerson(store, hostname);
  const { id: siteId } = await addSite(store, hostname.replaceAll(".", "-"), ownerId, false);
  const served = { status: "verified", routeStatus: "routed", nextCheckAt: clock.time + LATER } as const;
  const connected = { observedMode: "direct", effectiveMode: "direct", backoff: "resting" } as const;
  const claim = { hostname, siteId, ownerId, createdAt: clock.time };
  return (await addClaim(store, claim, { ...served, ...connected, ...more })).id;
}

describe("a name that was claimed before it became the base host", () => {
  const own = wantedByServer({ baseHost: HOST, sitesDomain: HOST, wildcard: false });

  test("keeps its certificate when the claim is removed", async () => {
    await secured(HOST);
    await wantOwnCertificates({ store, clock }, own);
    await ordered().request(HOST);
    await ordered().release(HOST);
    const kept = await store.certificates.find(HOST);
    expect([kept?.origin, kept?.current?.names]).toEqual(["appliance", [HOST]]);
  });

  test.each([false, true])("has it back once the base host is another (with a wildcard: %p)", async (wildcard) => {
    await routed(HOST);
    await secured(HOST);
    const before = await store.certificates.find(HOST);
    for (const baseHost of [HOST, "pages.example.net"]) {
      await wantOwnCertificates({ store, clock }, wantedByServer({ baseHost, sitesDomain: baseHost, wildcard }));
      await catchUpWithClaims({ store, clock });
    }
    expect(await store.certificates.find(HOST)).toEqual(before);
  });

  test("leaves none once the base host is another and the claim is removed", async () => {
    await secured(HOST);
    await wantOwnCertificates({ store, clock }, own);
    await wantOwnCertificates({ store, clock }, []);
    expect(await store.certificates.list()).toEqual([]);
  });
});

test("a certificate is ordered until every listener presents it, and then ready", async () => {
  await secured(HOST);
  const before = await ordered().status(HOST);
  await store.certificates.setLive(await store.certificates.revision());
  const { state } = await ordered().status(HOST);
  expect([before.state, state]).toEqual(["ordering", "ready"]);
});

test("a name that is removed while ACME is off loses its certificate as well", async () => {
  await secured("shop.example.org");
  await noCertificates({ store, clock }).release("shop.example.org");
  expect(await store.certificates.list()).toEqual([]);
});

describe("when ACME is enabled again", () => {
  const nextChecks = async (ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await store.claims.find(id))?.nextCheckAt));

  /** Hostnames without a certificate: a working one, one behind an edge, and a failing one. */
  const without = async () => [
    await routed("bare.example.org"),
    await routed("edge.example.org", { observedMode: "proxy", mode: "proxy", effectiveMode: "proxy" }),
    await routed("failing.example.org", { backoff: "failing", attempts: 12 }),
  ];

  test("all names without one are checked now, and others as planned", async () => {
    const ids = [...(await without()), await routed("ordering.example.org"), await routed("shop.example.org")];
    await ordered().request("ordering.example.org");
    await secured("shop.example.org");
    await catchUpWithClaims({ store, clock });
    expect(await nextChecks(ids)).toEqual([0, 0, 0, LATER, LATER].map((wait) => clock.time + wait));
  });

  test("this check does not count for the backoff, however often the server restarts before it", async () => {
    const id = await routed("failing.example.org", { backoff: "failing", attempts: 12 });
    for (let start = 0; start < 3; start++) {
      await store.certificates.noteOrdering(false);
      await catchUpWithClaims({ store, clock });
      clock.time += 1;
    }
    const claim = (await store.claims.find(id)) as Claim;
    expect(planNext(claim, "failing", { now: clock.time, random: () => 0.5 }).attempts).toBe(12);
  });

  test("a restart with the same settings advances nothing again, and one with other settings advances everything", async () => {
    const ids = await without();
    await catchUpWithClaims({ store, clock });
    for (const id of ids) await store.claims.postpone(id, clock.time + LATER);
    await catchUpWithClaims({ store, clock });
    expect(await nextChecks(ids)).toEqual(Array(3).fill(clock.time + LATER));
    await store.certificates.noteOrdering(false);
    await catchUpWithClaims({ store, clock });
    expect(await nextChecks(ids)).toEqual(Array(3).fill(clock.time));
  });

  test("certificates of names that were removed meanwhile are deleted, and those of the server stay", async () => {
    await secured("gone.example.org");
    await wantOwnCertificates({ store, clock }, wantedByServer({ baseHost: HOST, sitesDomain: HOST, wildcard: false }));
    await catchUpWithClaims({ store, clock });
    expect((await store.certificates.list()).map(({ subject }) => subject)).toEqual([HOST]);
  });
});
