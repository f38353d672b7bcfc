import { beforeEach, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";
import { tokenOf } from "./records.ts";

/** The contract of deployment tokens. `current` returns the store of the running test, which is empty at first. */
export function tokenContract(current: () => Store): void {
  let ownerId: number;
  let siteId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    siteId = (await addSite(current(), "demo", ownerId, false)).id;
  });

  const token = (id: string, createdAt: number) =>
    tokenOf({ siteId, makerId: ownerId, id, tokenHash: `hash of ${id}`, createdAt, expiresAt: 99 });

  test("are found by hash, with their site and the time of last use", async () => {
    const { tokens } = current();
    await tokens.add(token("a", 5));
    const { tokenHash: _, ...facts } = token("a", 5);
    const expected = { ...facts, siteName: "demo", ownerId, makerRole: "owner", frozen: null } as const;
    expect(await tokens.findByHash("hash of a")).toEqual({ ...expected, lastUsedAt: null });
    expect(await tokens.findByHash("a")).toBeNull();
    await tokens.touch("a", 50);
    expect(await tokens.findByHash("hash of a")).toEqual({ ...expected, lastUsedAt: 50 });
  });

  test("are listed newest first for everybody who works on the site, with their role, and deleted once", async () => {
    const { tokens, members } = current();
    const [eve, grace] = [await addPerson(current(), "eve"), await addPerson(current(), "grace")];
    await members.set(siteId, { identity: grace }, { role: "deployer", addedBy: ownerId, at: 0 });
    await tokens.add(token("a", 5));
    await tokens.add(token("b", 6));
    const listed = async (userId: number) => (await tokens.listOfMember(userId, 0)).map(({ id, role }) => [id, role]);
    expect(await listed(ownerId)).toEqual([
      ["b", "owner"],
      ["a", "owner"],
    ]);
    expect(await listed(grace.id)).toEqual([
      ["b", "deployer"],
      ["a", "deployer"],
    ]);
    expect(await listed(eve.id)).toEqual([]);
    expect([await tokens.delete("a"), await tokens.delete("a")]).toEqual([true, false]);
    expect([await tokens.find("a"), (await tokens.find("b"))?.siteName]).toEqual([null, "demo"]);
  });

  test("have the role that their maker has now, are frozen with them, and end with their account", async () => {
    const { tokens, members, users } = current();
    const grace = await addPerson(current(), "grace");
    await members.set(siteId, { identity: grace }, { role: "deployer", addedBy: ownerId, at: 0 });
    await tokens.add({ ...token("a", 5), makerId: grace.id });
    const found = () => tokens.findByHash("hash of a");
    expect(await found()).toMatchObject({ ownerId, makerId: grace.id, makerRole: "deployer", frozen: null });
    await users.setFrozen(grace.id, { at: 1, reason: null });
    expect(await found()).toMatchObject({ frozen: { at: 1, reason: null } });
    await members.remove(siteId, { userId: grace.id }, 0);
    expect(await found()).toMatchObject({ makerRole: null });
    await users.delete(grace.id);
    expect(await found()).toBeNull();
  });

  test("are deleted with their site", async () => {
    await current().tokens.add(token("a", 5));
    await current().sites.delete(siteId, 0, 0);
    expect(await current().tokens.findByHash("hash of a")).toBeNull();
  });
}
