import { beforeEach, describe, expect, test } from "bun:test";
import type { User } from "../../domain/model/user.ts";
import { HOURS_OF_DAY } from "../../domain/model/view-delta.ts";
import { VisitorSketch } from "../../domain/model/visitor-sketch.ts";
import { MAX_MEMBERS } from "../../domain/ports/store/members.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";

/** The contract of operators, and of the links that they create. */
export function operatorContract(current: () => Store): void {
  let ada: User;
  let grace: User;
  beforeEach(async () => {
    ada = await addPerson(current(), "ada");
    grace = await addPerson(current(), "grace");
    await current().users.setOperator(ada.id, true);
  });

  const newPassword = (passwordHash: string, removedPasskeys: readonly string[] = []) => ({
    passwordHash,
    removedPasskeys,
  });
  const newUser = (login: string) => {
    const account = { provider: "local", subject: `new ${login}`, avatarUrl: null, mayOwn: true } as const;
    return { ...account, login, name: null, passwordHash: "hash", createdAt: 5 };
  };

  describe("the first account", () => {
    test("makes its user an operator, and later ones do not", async () => {
      const { users } = current();
      expect((await users.find(grace.id))?.operator).toBe(false);
      expect(await users.delete(ada.id)).toBe("deleted");
      expect(await users.delete(grace.id)).toBe("deleted");
      expect((await users.addFirst(newUser("joan")))?.operator).toBe(true);
      expect((await users.add(newUser("mary")))?.operator).toBe(false);
    });
  });

  describe("the last operator", () => {
    const unmarked = { operator: false, quota: {} };

    test("stays an operator if one must remain", async () => {
      const { users } = current();
      expect(await users.change(ada.id, unmarked)).toBe("last_operator");
      expect(await users.change(ada.id, { frozen: { at: 1, reason: null }, quota: {} })).toBe("last_operator");
      expect(await users.delete(ada.id, { keepOperator: true })).toBe("last_operator");
      expect(await users.find(ada.id)).toMatchObject({ operator: true, frozen: null });
    });

    test("is not the last one if another exists who is not frozen", async () => {
      const { users } = current();
      await users.setOperator(grace.id, true);
      await users.setFrozen(grace.id, { at: 1, reason: null });
      expect(await users.change(ada.id, unmarked)).toBe("last_operator");
      await users.setFrozen(grace.id, null);
      expect(await users.change(ada.id, unmarked)).toBe("changed");
    });

    test("can be removed by a command on the data folder", async () => {
      const { users } = current();
      expect(await users.setOperator(ada.id, false)).toBe(true);
      expect(await users.find(ada.id)).toMatchObject({ operator: false });
      expect(await users.setOperator(ada.id + 99, true)).toBe(false);
    });
  });

  describe("a change of a user", () => {
    test("is atomic: absent fields stay, and a refused change has no effect", async () => {
      const { users, quotas } = current();
      await quotas.setOwn(grace.id, { bytes: 9 });
      const frozen = { at: 1, reason: null };
      expect(await users.change(grace.id, { name: "Grace", frozen, quota: { sites: 3 } })).toBe("changed");
      expect(await users.listing(grace.id)).toMatchObject({ name: "Grace", frozen, quota: { sites: 3, bytes: 9 } });
      expect(await users.change(grace.id, { quota: { bytes: "default" } })).toBe("changed");
      expect(await quotas.own(grace.id)).toEqual({ sites: 3 });
      expect(await users.change(ada.id, { name: "Ada", frozen, quota: { sites: 0 } })).toBe("last_operator");
      expect(await users.change(ada.id, { name: "Ada", operator: false, quota: {} })).toBe("last_operator");
      expect(await users.listing(ada.id)).toMatchObject({ name: null, operator: true, frozen: null, quota: {} });
      expect(await users.change(grace.id + 99, { quota: {} })).toBe("missing");
    });
  });

  describe("a page of users", () => {
    test("is sorted by login, and the next one continues after it", async () => {
      const { users } = current();
      await addPerson(current(), "Bea");
      const first = await users.page({ text: null, after: null, limit: 2 });
      expect(first.map(({ login }) => login)).toEqual(["ada", "Bea"]);
      const rest = await users.page({ text: null, after: first[1]!, limit: 2 });
      expect(rest.map(({ login }) => login)).toEqual(["grace"]);
    });

    test("can be filtered by a text in login or name, without wildcards", async () => {
      const { users } = current();
      await users.change(grace.id, { name: "Rear Admiral Hopper Ärzte", quota: {} });
      const find = async (text: string) =>
        (await users.page({ text, after: null, limit: 9 })).map(({ login }) => login);
      expect(await find("ADMIRAL")).toEqual(["grace"]);
      expect(await find("ad")).toEqual(["ada", "grace"]);
      expect(await find("%")).toEqual([]);
      expect(await find("Ärzte")).toEqual(["grace"]);
    });

    test("can be filtered by operators or frozen users", async () => {
      const { users } = current();
      await users.change(grace.id, { frozen: { at: 1, reason: null }, quota: {} });
      const only = async (kind: "operators" | "frozen") =>
        (await users.page({ text: null, only: kind, after: null, limit: 9 })).map(({ login }) => login);
      expect([await only("operators"), await only("frozen")]).toEqual([["ada"], ["grace"]]);
    });

    test("has usage, own limits, and the time of last activity", async () => {
      const { users, quotas, sessions } = current();
      await addSite(current(), "notes", grace.id, false);
      await quotas.setOwn(grace.id, { sites: 3 });
      const id = await addSession(current(), grace.id);
      await sessions.touch(id, 70);
      expect(await users.listing(grace.id)).toMatchObject({
        login: "grace",
        lastSeenAt: 70,
        usage: { sites: 1, bytes: 0 },
        quota: { sites: 3 },
      });
      expect(await users.listing(grace.id + 99)).toBeNull();
    });
  });

  describe("a page of all sites", () => {
    test("is sorted by name, with the totals of each site", async () => {
      const { sites, views } = current();
      const blog = await addSite(current(), "blog", ada.id, false);
      await addSite(current(), "notes", grace.id, true);
      const named = { page: new Map(), referrer: new Map(), missing: new Map(), lost: new Map(), country: new Map() };
      const delta = { siteId: blog.id, botViews: 1, visitors: new VisitorSketch(), lostAt: 0, named };
      await views.add([
        { ...delta, hour: 40 * HOURS_OF_DAY, views: 3, bytes: 70 },
        { ...delta, hour: HOURS_OF_DAY, views: 5, bytes: 1 },
      ]);
      const page = await sites.page({ text: null, after: null, limit: 9 }, 41 * 86_400_000);
      expect(page).toMatchObject([
        { name: "blog", owner: "ada", deployments: 1, keptBytes: 0, recentViews: 3, recentTraffic: 70, domains: 0 },
        { name: "notes", owner: "grace", private: true, recentViews: 0 },
      ]);
      const rest = await sites.page({ text: null, after: "blog", limit: 9 }, 0);
      expect(rest.map(({ name }) => name)).toEqual(["notes"]);
      expect((await sites.page({ text: "GRA", after: null, limit: 9 }, 0)).map(({ name }) => name)).toEqual(["notes"]);
      expect(await sites.listing("nothing", 0)).toBeNull();
    });
  });

  test("a page of sites can be filtered by private or frozen ones, and totals count users and sites", async () => {
    const { sites, users, accountLinks } = current();
    await addSite(current(), "blog", ada.id, true);
    const notes = await addSite(current(), "notes", ada.id, false);
    await sites.setFrozen(notes.id, { at: 1, reason: null });
    const only = async (kind: "private" | "frozen") =>
      (await sites.page({ text: null, only: kind, after: null, limit: 9 }, 0)).map(({ name }) => name);
    expect([await only("private"), await only("frozen")]).toEqual([["blog"], ["notes"]]);
    await users.change(grace.id, { frozen: { at: 1, reason: null }, quota: {} });
    const invitation = { kind: "invitation", userId: null, name: null, member: null } as const;
    await accountLinks.replace({ ...invitation, login: "joan", tokenHash: "joan", expiresAt: 100 });
    await accountLinks.replace({ ...invitation, login: "late", tokenHash: "late", expiresAt: 99 });
    await accountLinks.replace({
      kind: "password",
      login: "ada",
      userId: ada.id,
      name: null,
      member: null,
      tokenHash: "p",
      expiresAt: 100,
    });
    expect(await current().totals(99)).toEqual({
      users: { all: 2, operators: 1, frozen: 1, invited: 1 },
      sites: { all: 2, private: 1, frozen: 1 },
    });
  });

  describe("a sign-in", () => {
    test("can be confirmed for its own session", async () => {
      const { sessions } = current();
      const [one, other] = [await addSession(current(), ada.id), await addSession(current(), ada.id)];
      expect(await sessions.confirm(one, 40)).toBe(true);
      const signedIn = (await sessions.listOfUser(ada.id, 1)).map(({ id, signedInAt }) => [id, signedInAt]);
      expect(signedIn).toEqual([
        [other, null],
        [one, 40],
      ]);
      expect(await sessions.revokeAll(ada.id)).toBe(2);
      expect(await sessions.confirm(one, 41)).toBe(false);
    });
  });

  describe("an invitation", () => {
    const stored = { kind: "invitation", login: "joan", userId: null, name: "Joan", expiresAt: 100 } as const;
    const link = { ...stored, member: null };

    test("creates one account, once", async () => {
      const { accountLinks } = current();
      await accountLinks.replace({ ...link, tokenHash: "t" });
      expect(await accountLinks.find("t", 99)).toEqual({ ...stored, invitedTo: null });
      const accepted = await accountLinks.acceptInvitation("t", newUser("joan"), 99);
      expect(accepted).toMatchObject({ user: { login: "joan" }, memberOf: null });
      expect(await accountLinks.acceptInvitation("t", newUser("joan"), 99)).toBeNull();
      expect(await accountLinks.find("t", 99)).toBeNull();
    });

    test("expires, also through a newer one for the login", async () => {
      const { accountLinks } = current();
      await accountLinks.replace({ ...link, tokenHash: "t" });
      expect(await accountLinks.acceptInvitation("t", newUser("joan"), 100)).toBeNull();
      await accountLinks.replace({ ...link, login: "JOAN", tokenHash: "newer" });
      expect(await accountLinks.find("t", 1)).toBeNull();
      expect(await accountLinks.find("newer", 1)).toMatchObject({ login: "JOAN" });
    });

    test("makes a member of its site under the site's present name, unless that is deleted or full", async () => {
      const { accountLinks, members, sites, liveEvents } = current();
      const site = await addSite(current(), "blog", ada.id, true);
      const member = { siteId: site.id, role: "deployer", addedBy: ada.id } as const;
      for (const login of ["joan", "late", "last"]) {
        await accountLinks.replace({ ...link, login, member, tokenHash: login });
      }
      await sites.rename(site.id, { name: "notes", at: 2, nameFreeAt: 9 });
      const invitedTo = { siteName: "notes", role: "deployer" } as const;
      expect(await accountLinks.find("joan", 3)).toMatchObject({ login: "joan", invitedTo });
      const before = await liveEvents.newestId();
      const joan = await accountLinks.acceptInvitation("joan", newUser("joan"), 3);
      expect(joan?.memberOf).toEqual(invitedTo);
      expect(await members.list(site.id)).toMatchObject([
        { name: "joan", role: "deployer", addedAt: 3, addedBy: "ada" },
      ]);
      const told = (await liveEvents.after(before, 60_000, 9))?.map(({ type }) => type);
      expect(told).toEqual(["admin.changed", "access.changed", "sites.added"]);

      for (let place = 1; place < MAX_MEMBERS; place++) {
        const identity = { provider: "oidc", subject: `login:${place}`, name: null, avatarUrl: null } as const;
        await members.set(site.id, { identity: { ...identity, login: `user${place}` } }, { ...member, at: 4 });
      }
      expect(await accountLinks.acceptInvitation("late", newUser("late"), 5)).toMatchObject({ memberOf: null });
      await sites.delete(site.id, 6, 9);
      expect(await accountLinks.find("last", 7)).toMatchObject({ login: "last", invitedTo: null });
      expect(await accountLinks.acceptInvitation("last", newUser("last"), 7)).toMatchObject({ memberOf: null });
    });

    test("is kept if the login was taken meanwhile, and sets nobody's password", async () => {
      const { accountLinks } = current();
      await accountLinks.replace({ ...link, login: "ada", tokenHash: "t" });
      expect(await accountLinks.acceptInvitation("t", newUser("ada"), 1)).toBeNull();
      expect(await accountLinks.acceptPassword("t", newPassword("other"), 1)).toBeNull();
      expect(await accountLinks.find("t", 1)).not.toBeNull();
      expect(await accountLinks.deleteExpired(100)).toBe(1);
    });
  });

  test("a password link sets the password once, and ends the user's sessions", async () => {
    const { accountLinks, users, sessions } = current();
    await addSession(current(), grace.id);
    const link = { kind: "password", login: "grace", userId: grace.id, name: null, expiresAt: 100 } as const;
    await accountLinks.replace({ ...link, member: null, tokenHash: "t" });
    expect(await accountLinks.acceptPassword("t", newPassword("another"), 1)).toMatchObject({ login: "grace" });
    expect(await users.passwordHash(grace.id)).toBe("another");
    expect(await sessions.listOfUser(grace.id, 1)).toEqual([]);
    expect(await accountLinks.acceptPassword("t", newPassword("third"), 1)).toBeNull();
  });
}
