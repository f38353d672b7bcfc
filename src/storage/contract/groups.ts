import { beforeEach, expect, test } from "bun:test";
import { GROUPS_HOLD_MS, type ToldGroups } from "../../domain/model/group.ts";
import type { LiveEvent } from "../../domain/model/live-event.ts";
import type { Site } from "../../domain/model/site.ts";
import type { SignedIn, User } from "../../domain/model/user.ts";
import { MAX_READER_GROUPS } from "../../domain/ports/store/readers.ts";
import type { Store } from "../../domain/ports/store.ts";
import { HOUR } from "../../domain/timestamp.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";
import { tokenOf } from "./records.ts";

/** The contract of groups of the identity provider. `current` returns the store of the running test. */
export function groupContract(current: () => Store): void {
  /** When Grace signs in, and the last moment at which her groups hold. */
  const AT = 1_000_000;
  const LAST = AT + GROUPS_HOLD_MS - 1;
  let owner: User;
  let site: Site;
  beforeEach(async () => {
    owner = await addPerson(current(), "ada");
    site = await addSite(current(), "demo", owner.id, true);
  });

  const grace = {
    provider: "oidc",
    subject: "https://id.example#1",
    login: "grace",
    name: null,
    avatarUrl: null,
  } as const;
  const told = (...names: string[]): ToldGroups => ({ outcome: "told", names });
  const signIn = (groups: ToldGroups, at = AT, person: SignedIn = grace) =>
    current().users.admit({ ...person, groups }, at, "open");
  const signInIfAdmitted = (groups: ToldGroups, at = AT) => current().users.admit({ ...grace, groups }, at, "closed");
  const addMember = (group: string, role: "maintainer" | "deployer" = "deployer", siteId = site.id) =>
    current().members.set(siteId, { group }, { role, addedBy: owner.id, at: 5 });

  test("hold for twelve hours from the sign-in that told them, on every way to a site", async () => {
    const { sites, readers, liveEvents, tokens, claims, visits } = current();
    await addMember("team");
    const { id } = await signIn(told("team", "others"));
    const sessionId = await addSession(current(), id, 10 * LAST, 10 * LAST);
    const visit = { host: "demo.localhost", siteId: site.id };
    const person = { ...visit, userId: id, sessionId, expiresAt: 10 * LAST };
    await visits.addCode({ ...person, codeHash: "code", stateHash: "state", path: "/" });
    await visits.redeem("code", { ...visit, stateHash: "state", now: AT }, { tokenHash: "v", expiresAt: 10 * LAST });
    const since = { day: 0, deployedAt: 0 };
    const seenAt = async (now: number): Promise<object> => ({
      role: await sites.roleOf(site.id, id, now),
      listed: (await sites.listOfMember(id, now)).map(({ name, role }) => [name, role]),
      active: (await sites.activityOfMember(id, since, now)).length,
      opens: await readers.mayRead(site.id, id, now),
      visit: await visits.check("v", visit.host, site.id, now),
      hears: (await liveEvents.audienceOf(site.id, now))?.memberIds.includes(id),
      tokens: (await tokens.listOfMember(id, now)).length + (await claims.listOpenOfMember(id, now)).length,
    });
    const seen = {
      role: "deployer",
      listed: [["demo", "deployer"]],
      active: 1,
      opens: true,
      visit: "admitted",
      hears: true,
    };
    expect(await seenAt(LAST)).toEqual({ ...seen, tokens: 0 });
    const nothing = {
      role: null,
      listed: [],
      active: 0,
      opens: false,
      visit: "refused",
      hears: false,
      tokens: 0,
    } as const;
    expect(await seenAt(LAST + 1)).toEqual(nothing);
  });

  test("are replaced by a sign-in that tells others, and stay for their time after one that tells nothing", async () => {
    const { groups } = current();
    const { id } = await signIn(told("team", "docs"));
    const known = { names: ["docs", "team"], toldAt: AT };
    expect(await groups.ofUser(id, LAST)).toEqual({ ...known, lastSignIn: { at: AT, outcome: "told" } });
    for (const outcome of ["overage", "too_many", "unreadable"] as const) {
      await signIn({ outcome }, AT + HOUR);
      const lastSignIn = { at: AT + HOUR, outcome };
      expect(await groups.ofUser(id, LAST)).toEqual({ ...known, lastSignIn });
      expect(await groups.ofUser(id, LAST + 1)).toEqual({ names: [], toldAt: null, lastSignIn });
    }
    await signIn(told("docs"), AT + 2 * HOUR);
    expect(await groups.ofUser(id, LAST + 1)).toMatchObject({ names: ["docs"], toldAt: AT + 2 * HOUR });
    await signIn({ outcome: "absent", names: [] }, AT + 3 * HOUR);
    expect(await groups.ofUser(id, AT + 3 * HOUR)).toMatchObject({ names: [], lastSignIn: { outcome: "absent" } });
    expect(await groups.ofUser(owner.id, AT)).toBeNull();
  });

  test("give the strongest of several roles, and only the user's own one to tokens", async () => {
    const { sites, members, tokens } = current();
    const user = await signIn(told("team", "leads"));
    const roles = async () => [await sites.roleOf(site.id, user.id, AT), await sites.ownRoleOf(site.id, user.id)];
    await tokens.add(tokenOf({ siteId: site.id, makerId: user.id }));
    const makerRole = async () => (await tokens.find("t"))?.makerRole;
    expect(await roles()).toEqual([null, null]);
    await current().readers.add(site.id, { group: "team" }, 0);
    expect(await roles()).toEqual(["reader", null]);
    await addMember("team");
    expect(await roles()).toEqual(["deployer", null]);
    await addMember("leads", "maintainer");
    expect([await roles(), await makerRole()]).toEqual([["maintainer", null], null]);
    await members.set(site.id, { identity: user }, { role: "deployer", addedBy: owner.id, at: 0 });
    expect([await roles(), await makerRole()]).toEqual([["maintainer", "deployer"], "deployer"]);
    expect([await sites.roleOf(site.id, owner.id, AT), await sites.ownRoleOf(site.id, owner.id)]).toEqual([
      "owner",
      "owner",
    ]);
  });

  test("are compared as opaque text, on their own site", async () => {
    const { sites } = current();
    const second = await addSite(current(), "second", owner.id, true);
    await addMember("/Team/docs");
    await addMember("team", "maintainer", second.id);
    const { id } = await signIn(told("/Team/docs", "TEAM"));
    const roles = () => Promise.all([site, second].map((one) => sites.roleOf(one.id, id, AT)));
    expect(await roles()).toEqual(["deployer", null]);
  });

  test("publish with a session of their users while they hold, and never with a token", async () => {
    const { deployments, tokens } = current();
    await addMember("team");
    const { id: makerId } = await signIn(told("team"));
    const sessionId = await addSession(current(), makerId);
    const publish = (wanted: object) =>
      deployments.publish(publicationOf({ siteName: "demo", ownerId: owner.id, makerId, sessionId, ...wanted }));
    expect(await publish({ createdAt: LAST })).toMatchObject({ outcome: "published" });
    expect(await publish({ createdAt: LAST + 1 })).toEqual({ outcome: "role_lost" });
    await tokens.add(tokenOf({ siteId: site.id, makerId }));
    const credential = { kind: "deployment_token", tokenId: "t" } as const;
    expect(await publish({ createdAt: LAST, credential })).toEqual({ outcome: "role_lost" });
  });

  test("admit people who are in one with a role, and nobody else", async () => {
    const refused = (groups: ToldGroups, at = AT) =>
      expect(signInIfAdmitted(groups, at)).rejects.toThrow("not admitted");
    await refused(told("team"));
    await addMember("team");
    await refused(told("Team"));
    await refused({ outcome: "overage" });
    expect(await signInIfAdmitted(told("team"))).toMatchObject({ login: "grace", mayOwn: false });
    expect(await signInIfAdmitted({ outcome: "overage" }, LAST)).toMatchObject({ login: "grace" });
    await refused({ outcome: "overage" }, LAST + 1);
    await refused({ outcome: "absent", names: [] });
    const { readers } = current();
    await readers.add(site.id, { group: "staff" }, 0);
    expect(await signInIfAdmitted(told("staff"))).toMatchObject({ login: "grace" });
  });

  test("end with a sign-in that tells others, also if it is refused for that, and nothing else changes", async () => {
    const { groups, users } = current();
    await addMember("team");
    const user = await signInIfAdmitted(told("team"));
    const other = { ...grace, name: "Grace", groups: told("others") };
    await expect(users.admit(other, AT + 1, "closed")).rejects.toThrow("not admitted");
    expect(await users.find(user.id)).toEqual(user);
    expect(await groups.ofUser(user.id, AT + 1)).toMatchObject({ names: ["others"], toldAt: AT + 1 });
    expect(await current().sites.roleOf(site.id, user.id, AT + 1)).toBeNull();
  });

  test("are readers, last in the list, up to ten", async () => {
    const { readers } = current();
    await readers.add(site.id, owner, 0);
    const added = await readers.add(site.id, { group: "staff" }, 1);
    expect(added).toMatchObject({ userId: null, login: "staff", name: null, avatarUrl: null });
    expect(await readers.add(site.id, { group: "staff" }, 2)).toEqual(added);
    expect((await readers.list(site.id)).map(({ login }) => login)).toEqual(["ada", "staff"]);
    for (let at = 1; at < MAX_READER_GROUPS; at++) await readers.add(site.id, { group: `g${at}` }, 1);
    expect(await readers.add(site.id, { group: "one more" }, 1)).toBe("too_many_groups");
    const { id } = await signIn(told("staff"));
    const shared = async (now: number) => (await readers.sitesOf(id, 9, now)).map(({ name }) => name);
    expect([await shared(LAST), await shared(LAST + 1)]).toEqual([["demo"], []]);
    const heard = async (now: number) => (await current().liveEvents.audienceOf(site.id, now))?.readerIds;
    expect([await heard(LAST), await heard(LAST + 1)]).toEqual([[owner.id, id], [owner.id]]);
    await readers.delete(site.id, typeof added === "string" ? 0 : added.id);
    expect(await shared(AT)).toEqual([]);
    await addMember("staff");
    await readers.add(site.id, { group: "g1" }, 1);
    await signIn(told("staff", "g1"));
    // A site on which they work is among their own.
    expect(await shared(AT)).toEqual([]);
  });

  test("tell their users of sites that they get and lose, without naming the lost ones", async () => {
    const { liveEvents, members, readers, sites } = current();
    const { id } = await signIn(told("team"));
    const start = await liveEvents.newestId();
    await addMember("team");
    await members.remove(site.id, { group: "team" }, AT);
    const added = await readers.add(site.id, { group: "team" }, 0);
    await sites.setPrivate(site.id, false);
    await sites.setPrivate(site.id, true);
    await readers.delete(site.id, typeof added === "string" ? 0 : added.id);
    await signIn(told("team"), AT + 1);
    await signIn(told("team", "docs"), AT + 2);
    const events = (await liveEvents.after(start, 60_000, 99)) ?? [];
    const ofPeople = events.filter(({ audience }) => audience === "people");
    expect(ofPeople.map(({ type, siteId, siteName, userIds }: LiveEvent) => [type, siteId, siteName, userIds])).toEqual(
      [
        ["sites.added", site.id, null, [id]],
        ["access.changed", null, null, [id]],
        ["sites.added", site.id, null, [id]],
        ["access.changed", null, null, [id]],
        ["sites.added", site.id, null, [id]],
        ["access.changed", null, null, [id]],
        ["access.changed", null, null, [id]],
      ],
    );
  });

  test("are counted by what the last sign-in of each user told", async () => {
    const { groups, users } = current();
    const person = (n: number): SignedIn => ({ ...grace, subject: `https://id.example#${n}`, login: `u${n}` });
    await addMember("team");
    await signIn(told("team"), 1, person(1));
    await signIn(told("team"), 10, person(2));
    const { id } = await signIn(told("team"), 10, person(3));
    await signIn({ outcome: "overage" }, 11, person(3));
    const none = { told: 0, absent: 0, overage: 0, too_many: 0, unreadable: 0 };
    expect(await groups.countReports(0)).toEqual({ ...none, told: 2, overage: 1 });
    expect(await groups.countReports(2)).toEqual({ ...none, told: 1, overage: 1 });
    await users.delete(id);
    expect(await groups.countReports(2)).toEqual({ ...none, told: 1 });
  });
}
