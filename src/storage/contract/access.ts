import { beforeEach, describe, expect, test } from "bun:test";
import type { Site } from "../../domain/model/site.ts";
import type { User } from "../../domain/model/user.ts";
import type { CodeUse, VisitCode } from "../../domain/ports/store/visits.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";

/** The contract of readers and visits. `current` returns the store of the running test, which is empty at first. */
export function accessContract(current: () => Store): void {
  let owner: User;
  let bob: User;
  let site: Site;
  beforeEach(async () => {
    owner = await addPerson(current(), "alice");
    bob = await addPerson(current(), "bob");
    site = await addSite(current(), "diary", owner.id, true);
  });

  describe("readers", () => {
    test("are added once and listed by login", async () => {
      const { readers } = current();
      const first = await readers.add(site.id, bob, 1);
      expect(first).toMatchObject({ userId: bob.id, login: "bob", name: null, avatarUrl: null });
      expect(await readers.add(site.id, bob, 2)).toEqual(first);
      await readers.add(site.id, await addPerson(current(), "Ann"), 3);
      expect((await readers.list(site.id)).map(({ login }) => login)).toEqual(["Ann", "bob"]);
    });

    test("are neither added nor removed while the site is public, and stay on its list", async () => {
      const { readers, sites } = current();
      const reader = await readers.add(site.id, bob, 1);
      await sites.setPrivate(site.id, false);
      expect(await readers.add(site.id, owner, 1)).toBe("not_private");
      expect(await readers.delete(site.id, typeof reader === "string" ? 0 : reader.id)).toBe("not_private");
      expect(await readers.list(site.id)).toHaveLength(1);
    });

    test("are removed from their own site only", async () => {
      const { readers } = current();
      const other = await addSite(current(), "other", owner.id, true);
      const reader = await readers.add(site.id, bob, 1);
      const id = typeof reader === "string" ? 0 : reader.id;
      expect(await readers.delete(other.id, id)).toBe("missing");
      expect(await readers.delete(site.id, id)).toBe("deleted");
      expect(await readers.delete(site.id, id)).toBe("missing");
    });

    test("may read like the owner, and nobody else", async () => {
      const { readers } = current();
      expect(await readers.mayRead(site.id, owner.id, 0)).toBe(true);
      expect(await readers.mayRead(site.id, bob.id, 0)).toBe(false);
      await readers.add(site.id, bob, 1);
      expect(await readers.mayRead(site.id, bob.id, 0)).toBe(true);
      expect(await readers.mayRead(site.id + 1, bob.id, 0)).toBe(false);
    });

    test("may read their own site and no other, whatever its id", async () => {
      const { readers } = current();
      const [second, third] = [
        await addSite(current(), "second", owner.id, true),
        await addSite(current(), "third", owner.id, true),
      ];
      const carol = await addPerson(current(), "carol");
      // The row of carol has the id of her site only if rows and sites are counted alike.
      await readers.add(site.id, bob, 1);
      await readers.add(third.id, carol, 1);
      const sites = [site, second, third];
      const readableBy = async ({ id }: User) => Promise.all(sites.map((one) => readers.mayRead(one.id, id, 0)));
      expect(await readableBy(bob)).toEqual([true, false, false]);
      expect(await readableBy(carol)).toEqual([false, false, true]);
    });

    test("find the private sites that are shared with them by name", async () => {
      const { readers, sites } = current();
      const shared = async (name: string) => {
        const { id } = await addSite(current(), name, owner.id, true);
        await readers.add(id, bob, 1);
        return id;
      };
      await sites.setPrivate(await shared("public-by-now"), false);
      await sites.setFrozen(await shared("atlas"), { at: 1, reason: null });
      await readers.add(site.id, bob, 1);
      const atlas = { name: "atlas", owner: "alice", frozen: true };
      const diary = { name: "diary", owner: "alice", frozen: false };
      expect(await readers.sitesOf(bob.id, 10, 0)).toEqual([atlas, diary]);
      expect(await readers.sitesOf(bob.id, 1, 0)).toEqual([atlas]);
      expect(await readers.sitesOf(owner.id, 10, 0)).toEqual([]);
      await current().users.setFrozen(owner.id, { at: 1, reason: null });
      expect(await readers.sitesOf(bob.id, 10, 0)).toEqual([atlas, { ...diary, frozen: true }]);
    });

    test("are deleted with the site", async () => {
      const { readers, sites } = current();
      await readers.add(site.id, bob, 1);
      await sites.delete(site.id, 0, 0);
      expect(await readers.mayRead(site.id, bob.id, 0)).toBe(false);
    });
  });

  describe("visits", () => {
    const HOST = "diary.localhost";
    let sessionId: number;
    let code: VisitCode;
    let use: CodeUse;
    const visit = { tokenHash: "token", expiresAt: 500 };
    const verdictAt = (now = 10) => current().visits.check("token", HOST, site.id, now);

    beforeEach(async () => {
      const { readers, visits } = current();
      await readers.add(site.id, bob, 1);
      sessionId = await addSession(current(), bob.id);
      const person = { siteId: site.id, userId: bob.id, sessionId };
      code = { codeHash: "code", stateHash: "state", host: HOST, path: "/a?b", expiresAt: 60, ...person };
      await visits.addCode(code);
      use = { host: HOST, siteId: site.id, stateHash: "state", now: 59 };
    });

    test("are opened by their code, once", async () => {
      const { visits } = current();
      expect(await visits.redeem("code", use, visit)).toEqual(code);
      expect(await visits.redeem("code", use, { ...visit, tokenHash: "second" })).toBeNull();
      expect(await verdictAt()).toBe("admitted");
    });

    test("are not opened by a code that was refused before", async () => {
      const { visits } = current();
      expect(await visits.redeem("code", { ...use, stateHash: "another browser's" }, visit)).toBeNull();
      expect(await visits.redeem("code", use, visit)).toBeNull();
      expect(await verdictAt()).toBe("unknown");
    });

    test("are valid for their own host and site", async () => {
      const { visits } = current();
      await visits.redeem("code", use, visit);
      expect(await visits.check("token", "other.localhost", site.id, 10)).toBe("unknown");
      expect(await visits.check("token", HOST, site.id + 1, 10)).toBe("unknown");
      expect(await visits.check("nonsense", HOST, site.id, 10)).toBe("unknown");
    });

    test("expire", async () => {
      await current().visits.redeem("code", use, visit);
      expect(await verdictAt(499)).toBe("admitted");
      expect(await verdictAt(500)).toBe("unknown");
    });

    test("end at once when the reader is removed, and those of others stay", async () => {
      const { readers, visits } = current();
      await readers.add(site.id, await addPerson(current(), "carol"), 1);
      await visits.redeem("code", use, visit);
      const [reader] = await readers.list(site.id);
      await readers.delete(site.id, reader?.id ?? 0);
      expect(await verdictAt()).toBe("refused");
    });

    test("end with the session at the base URL", async () => {
      const { sessions, visits } = current();
      await visits.redeem("code", use, visit);
      await sessions.revoke(sessionId, bob.id);
      expect(await verdictAt()).toBe("unknown");
    });

    test("end when that session is idle for too long or expires", async () => {
      const { visits } = current();
      const short = await addSession(current(), bob.id, 100, 1000);
      const idle = await addSession(current(), bob.id, 1000, 100);
      for (const id of [short, idle]) {
        await visits.addCode({ ...code, codeHash: `code ${id}`, sessionId: id });
        await visits.redeem(`code ${id}`, use, { ...visit, tokenHash: `token ${id}` });
        expect(await visits.check(`token ${id}`, HOST, site.id, 99)).toBe("admitted");
        expect(await visits.check(`token ${id}`, HOST, site.id, 100)).toBe("refused");
      }
    });

    test("are open to the owner, who is not in the list of readers", async () => {
      const { visits } = current();
      const session = await addSession(current(), owner.id);
      await visits.addCode({ ...code, codeHash: "owner's", userId: owner.id, sessionId: session });
      await visits.redeem("owner's", use, { ...visit, tokenHash: "owner's" });
      expect(await visits.check("owner's", HOST, site.id, 10)).toBe("admitted");
    });

    test("are deleted after they have expired", async () => {
      const { visits } = current();
      await visits.redeem("code", use, visit);
      await visits.addCode({ ...code, codeHash: "code 2" });
      expect(await visits.deleteExpired(59)).toBe(0);
      expect(await visits.deleteExpired(60)).toBe(1);
      expect(await visits.deleteExpired(500)).toBe(1);
    });
  });
}
