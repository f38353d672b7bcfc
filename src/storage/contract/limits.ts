import { beforeEach, describe, expect, test } from "bun:test";
import type { Freeze } from "../../domain/model/freeze.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite, SHORT_SESSION } from "./people.ts";
import { publicationOf } from "./publication.ts";
import { tokenOf } from "./records.ts";

const FREEZE: Freeze = { at: 5, reason: "unpaid" };

/** The contract of quotas and freezing. `current` returns the store of the running test, which is empty at first. */
export function limitsContract(current: () => Store): void {
  let alice: User;
  let sessionId: number;
  beforeEach(async () => {
    alice = await addPerson(current(), "alice");
    sessionId = await addSession(current(), alice.id);
  });

  const publication = (siteName: string, size: number) => {
    const files = [{ path: "index.html", digest: `${siteName} ${size}`, size }];
    return publicationOf({ siteName, ownerId: alice.id, sessionId, files });
  };

  describe("quotas", () => {
    test("count sites and the bytes of all their deployments, each in full", async () => {
      const { deployments, quotas } = current();
      expect(await quotas.usage(alice.id)).toEqual({ sites: 0, bytes: 0 });
      await deployments.publish(publication("one", 10));
      await deployments.publish(publication("one", 10));
      await deployments.publish(publication("two", 5));
      await addSite(current(), "other", (await addPerson(current(), "bob")).id, false);
      expect(await quotas.usage(alice.id)).toEqual({ sites: 2, bytes: 25 });
    });

    test("refuse what exceeds them, and nothing of it remains", async () => {
      const { deployments, quotas, sites } = current();
      const quota = { sites: 1, bytes: 20 };
      expect(await deployments.publish(publication("one", 15), quota)).toMatchObject({ outcome: "published" });
      expect(await deployments.publish(publication("one", 6), quota)).toEqual({
        outcome: "over_quota",
        excess: { kind: "bytes", limit: 20, used: 15, more: 6 },
      });
      expect(await deployments.publish(publication("two", 1), quota)).toEqual({
        outcome: "over_quota",
        excess: { kind: "sites", limit: 1, used: 1 },
      });
      expect(await sites.find("two")).toBeNull();
      expect(await quotas.usage(alice.id)).toEqual({ sites: 1, bytes: 15 });
      expect(await deployments.publish(publication("one", 5), quota)).toMatchObject({ deployment: { number: 2 } });
    });

    test("of a user override the server's, each one separately", async () => {
      const { deployments, quotas } = current();
      await quotas.setOwn(alice.id, { bytes: null, sites: 2 });
      expect(await quotas.own(alice.id)).toEqual({ bytes: null, sites: 2 });
      expect(await deployments.publish(publication("one", 99), { sites: 1, bytes: 1 })).toMatchObject({
        outcome: "published",
      });
      await quotas.setOwn(alice.id, { bytes: 100 });
      expect(await quotas.own(alice.id)).toEqual({ bytes: 100 });
      expect(await deployments.publish(publication("one", 2))).toMatchObject({ outcome: "over_quota" });
      await quotas.setOwn(alice.id, {});
      expect(await quotas.own(alice.id)).toEqual({});
    });
  });

  describe("a freeze", () => {
    test("of a site is visible in every result, and increments the generation", async () => {
      const { sites, generation } = current();
      const { id } = await addSite(current(), "demo", alice.id, false);
      expect((await sites.findRoute("demo"))?.frozen).toBe(false);
      const before = generation();
      expect(await sites.setFrozen(id, FREEZE)).toMatchObject({ id, frozen: FREEZE });
      expect(generation()).not.toBe(before);
      expect((await sites.findRoute("demo"))?.frozen).toBe(true);
      expect((await sites.find("demo"))?.frozen).toEqual(FREEZE);
      expect((await sites.listOfOwner(alice.id)).map(({ frozen }) => frozen)).toEqual([FREEZE]);
      expect(await sites.setFrozen(id, null)).toMatchObject({ id, frozen: null });
      expect((await sites.find("demo"))?.frozen).toBeNull();
      expect(await sites.setFrozen(id + 1, FREEZE)).toBeNull();
    });

    test("of a user applies to all their sites, and to their credentials", async () => {
      const { users, sites, sessions, tokens, generation } = current();
      const { id: siteId } = await addSite(current(), "demo", alice.id, false);
      await sessions.add({ ...SHORT_SESSION, userId: alice.id, tokenHash: "session" });
      await tokens.add(tokenOf({ siteId, makerId: alice.id, tokenHash: "token" }));
      const before = generation();
      expect(await users.setFrozen(alice.id, FREEZE)).toBe(true);
      expect(generation()).not.toBe(before);
      expect((await sites.findRoute("demo"))?.frozen).toBe(true);
      expect((await sites.find("demo"))?.frozen).toEqual(FREEZE);
      expect((await sites.listOfOwner(alice.id))[0]?.frozen).toEqual(FREEZE);
      expect((await users.find(alice.id))?.frozen).toEqual(FREEZE);
      expect((await sessions.findByHash("session"))?.user.frozen).toEqual(FREEZE);
      expect((await tokens.findByHash("token"))?.frozen).toEqual(FREEZE);
      expect(await users.setFrozen(alice.id + 1, FREEZE)).toBe(false);
    });

    test("refuses deployments that had already started", async () => {
      const { deployments, sites } = current();
      const { id } = await addSite(current(), "demo", alice.id, false);
      await sites.setFrozen(id, FREEZE);
      expect(await deployments.publish(publication("demo", 1))).toEqual({ outcome: "frozen", freeze: FREEZE });
    });

    test("refuses new sites of a user too", async () => {
      const { deployments, users } = current();
      await users.setFrozen(alice.id, FREEZE);
      expect(await deployments.publish(publication("fresh", 1))).toEqual({ outcome: "frozen", freeze: FREEZE });
    });

    test("outlives the site: nobody can use its name, not even its owner", async () => {
      const { deployments, sites } = current();
      const { id } = await addSite(current(), "demo", alice.id, false);
      await sites.setFrozen(id, FREEZE);
      expect(await sites.delete(id, 0, 100)).toBe("deleted");
      expect(await deployments.publish(publication("demo", 1))).toEqual({ outcome: "name_retired" });
      expect(await deployments.publish({ ...publication("demo", 1), createdAt: 100 })).toMatchObject({
        outcome: "published",
      });
    });

    test("is deleted with the name when that is free again", async () => {
      const { deployments, sites } = current();
      const { id } = await addSite(current(), "demo", alice.id, false);
      await sites.setFrozen(id, FREEZE);
      await sites.delete(id, 0, 100);
      expect(await sites.deleteFreeNames(99)).toBe(0);
      expect(await deployments.publish(publication("demo", 1))).toEqual({ outcome: "name_retired" });
      expect(await sites.deleteFreeNames(100)).toBe(1);
      expect(await deployments.publish(publication("demo", 1))).toMatchObject({ outcome: "published" });
    });

    test("of a reader ends their visits", async () => {
      const { visits, users, readers } = current();
      const site = await addSite(current(), "demo", alice.id, true);
      const bob = await addPerson(current(), "bob");
      await readers.add(site.id, bob, 0);
      const code = { codeHash: "code", stateHash: "", host: "demo.test", siteId: site.id, userId: bob.id, path: "/" };
      await visits.addCode({ ...code, sessionId: await addSession(current(), bob.id), expiresAt: 9 });
      const use = { host: code.host, siteId: site.id, stateHash: "", now: 8 };
      await visits.redeem("code", use, { tokenHash: "visit", expiresAt: 9 });
      const verdict = () => visits.check("visit", "demo.test", site.id, 1);
      expect(await verdict()).toBe("admitted");
      await users.setFrozen(bob.id, FREEZE);
      expect(await verdict()).toBe("refused");
    });
  });
}
