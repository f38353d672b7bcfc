import { beforeEach, expect, test } from "bun:test";
import type { LiveEvent } from "../../domain/model/live-event.ts";
import type { Site } from "../../domain/model/site.ts";
import type { Identity, User } from "../../domain/model/user.ts";
import { MAX_MEMBER_GROUPS, MAX_MEMBERS } from "../../domain/ports/store/members.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";

/** The contract of members and roles. `current` returns the store of the running test, which is empty at first. */
export function memberContract(current: () => Store): void {
  let owner: User;
  let grace: User;
  let site: Site;
  beforeEach(async () => {
    owner = await addPerson(current(), "ada");
    grace = await addPerson(current(), "Grace");
    site = await addSite(current(), "demo", owner.id, true);
  });

  const by = (role: "maintainer" | "deployer", at = 5) => ({ role, addedBy: owner.id, at });
  const invited = (login: string): Identity => ({
    provider: "oidc",
    subject: `login:${login}`,
    login,
    name: null,
    avatarUrl: null,
  });

  test("are listed by login, and groups after them", async () => {
    const { members } = current();
    await members.set(site.id, { group: "team" }, by("deployer"));
    for (const login of ["bob", "Carl"]) {
      await members.set(site.id, { identity: await addPerson(current(), login) }, by("deployer"));
    }
    const added = await members.set(site.id, { identity: grace }, by("maintainer", 7));
    const member = { userId: grace.id, name: "Grace", role: "maintainer", addedAt: 7, addedBy: "ada" } as const;
    expect(added).toEqual({ outcome: "added", member });
    const listed = await members.list(site.id);
    expect(listed.map(({ name }) => name)).toEqual(["bob", "Carl", "Grace", "team"]);
    expect(listed.slice(2)).toEqual([
      member,
      { userId: null, name: "team", role: "deployer", addedAt: 5, addedBy: "ada" },
    ]);
  });

  test("change their role in place, and leave", async () => {
    const { members, sites } = current();
    await members.set(site.id, { identity: grace }, by("deployer"));
    const changed = await members.set(site.id, { identity: grace }, by("maintainer", 9));
    expect(changed).toMatchObject({ outcome: "changed", member: { role: "maintainer", addedAt: 5 } });
    expect(await sites.roleOf(site.id, grace.id, 0)).toBe("maintainer");
    const remove = () => members.remove(site.id, { userId: grace.id }, 0);
    expect([await remove(), await remove()]).toEqual([true, false]);
    expect(await sites.roleOf(site.id, grace.id, 0)).toBeNull();
  });

  test("never include the owner, and are limited in number", async () => {
    const { members } = current();
    expect(await members.set(site.id, { identity: owner }, by("deployer"))).toEqual({ outcome: "owner" });
    for (let at = 0; at < MAX_MEMBER_GROUPS; at++) await members.set(site.id, { group: `g${at}` }, by("deployer"));
    expect(await members.set(site.id, { group: "one more" }, by("deployer"))).toEqual({ outcome: "too_many_groups" });
    for (let at = MAX_MEMBER_GROUPS; at < MAX_MEMBERS; at++) {
      await members.set(site.id, { identity: invited(`user${at}`) }, by("deployer"));
    }
    expect(await members.set(site.id, { identity: grace }, by("deployer"))).toEqual({ outcome: "too_many" });
    const known = await members.set(site.id, { group: "g1" }, by("maintainer"));
    expect(known).toMatchObject({ outcome: "changed", member: { role: "maintainer" } });
  });

  test("have the strongest of several roles, and may open the private site", async () => {
    const { members, readers, sites } = current();
    expect([await sites.roleOf(site.id, owner.id, 0), await sites.roleOf(site.id, grace.id, 0)]).toEqual([
      "owner",
      null,
    ]);
    await readers.add(site.id, grace, 0);
    expect(await sites.roleOf(site.id, grace.id, 0)).toBe("reader");
    await members.set(site.id, { identity: grace }, by("deployer"));
    expect(await sites.roleOf(site.id, grace.id, 0)).toBe("deployer");
    expect(await readers.mayRead(site.id, grace.id, 0)).toBe(true);
    expect((await current().liveEvents.audienceOf(site.id, 0))?.memberIds).toEqual([owner.id, grace.id]);
  });

  test("have their role on one site and on no other, whatever its id", async () => {
    const { members, sites } = current();
    const [second, third] = [
      await addSite(current(), "second", owner.id, true),
      await addSite(current(), "third", owner.id, true),
    ];
    const carol = await addPerson(current(), "carol");
    await members.set(site.id, { identity: grace }, by("deployer"));
    await members.set(third.id, { identity: carol }, by("maintainer"));
    const rolesOf = async ({ id }: User) =>
      Promise.all([site, second, third].map((one) => sites.roleOf(one.id, id, 0)));
    expect(await rolesOf(grace)).toEqual(["deployer", null, null]);
    expect(await rolesOf(carol)).toEqual([null, null, "maintainer"]);
  });

  test("who are invited are known by their login, and may sign in", async () => {
    const { members, users } = current();
    await members.set(site.id, { identity: invited("lin") }, by("deployer"));
    expect(await users.deleteUnusedInvitations(99)).toBe(0);
    const lin = await users.admit({ ...invited("lin"), subject: "https://id.example lin" }, 9, "closed");
    expect([lin.mayOwn, await current().sites.roleOf(site.id, lin.id, 0)]).toEqual([false, "deployer"]);
    await members.remove(site.id, { userId: lin.id }, 0);
    expect((await users.find(lin.id))?.login).toBe("lin");
  });

  test("get an event when they are added and removed, and the others for a change", async () => {
    const { members, liveEvents } = current();
    const start = await liveEvents.newestId();
    await members.set(site.id, { identity: grace }, by("deployer"));
    await members.set(site.id, { identity: grace }, by("maintainer"));
    await members.remove(site.id, { userId: grace.id }, 0);
    const told = ({ type, audience, siteName, userIds }: LiveEvent) => [type, audience, siteName, userIds] as const;
    const changed = ["access.changed", "members", null, []] as const;
    expect((await liveEvents.after(start, 60_000, 99))?.map(told)).toEqual([
      changed,
      ["sites.added", "people", null, [grace.id]],
      changed,
      changed,
      ["site.removed", "people", "demo", [grace.id]],
    ]);
  });

  test("publish to the owner's site as long as they are members", async () => {
    const { members, deployments } = current();
    const sessionId = await addSession(current(), grace.id);
    const publish = (wanted = {}) =>
      deployments.publish(
        publicationOf({ siteName: "open", ownerId: owner.id, makerId: grace.id, sessionId, ...wanted }),
      );
    const open = await addSite(current(), "open", owner.id, false);
    expect(await publish()).toEqual({ outcome: "role_lost" });
    await members.set(open.id, { identity: grace }, by("deployer"));
    expect(await publish()).toMatchObject({ outcome: "published", deployment: { number: 2 } });
    expect(await publish({ makePrivate: true })).toEqual({ outcome: "role_too_weak", role: "deployer" });
    await members.set(open.id, { identity: grace }, by("maintainer"));
    expect(await publish({ makePrivate: true })).toMatchObject({ outcome: "published", site: { private: true } });
  });
}
