import { beforeEach, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";

/** The contract of deployment tokens. `current` returns the store of the running test, which is empty at first. */
export function tokenContract(current: () => Store): void {
  let ownerId: number;
  let siteId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    siteId = (await addSite(current(), "demo", ownerId, false)).id;
  });

  const token = (id: string, createdAt: number) => {
    const facts = { id, siteId, name: `CI ${id}`, permission: "publish", createdAt, expiresAt: 99 } as const;
    return { ...facts, tokenHash: `hash of ${id}` };
  };

  test("are found by hash, with their site and the time of last use", async () => {
    const { tokens } = current();
    await tokens.add(token("a", 5));
    const { tokenHash: _, ...facts } = token("a", 5);
    const expected = { ...facts, siteName: "demo", ownerId, ownerFrozen: null };
    expect(await tokens.findByHash("hash of a")).toEqual({ ...expected, lastUsedAt: null });
    expect(await tokens.findByHash("a")).toBeNull();
    await tokens.touch("a", 50);
    expect(await tokens.findByHash("hash of a")).toEqual({ ...expected, lastUsedAt: 50 });
  });

  test("are listed newest first, and revoked by their owner only", async () => {
    const { tokens } = current();
    const { id: eve } = await addPerson(current(), "eve");
    await tokens.add(token("a", 5));
    await tokens.add(token("b", 6));
    expect((await tokens.listOfOwner(ownerId)).map(({ id }) => id)).toEqual(["b", "a"]);
    expect(await tokens.listOfOwner(eve)).toEqual([]);
    expect(await tokens.revoke("a", eve)).toBeNull();
    expect([await tokens.revoke("a", ownerId), await tokens.revoke("a", ownerId)]).toEqual(["demo", null]);
    expect((await tokens.listOfOwner(ownerId)).map(({ id }) => id)).toEqual(["b"]);
  });

  test("are deleted with their site", async () => {
    await current().tokens.add(token("a", 5));
    await current().sites.delete(siteId, 0, 0);
    expect(await current().tokens.findByHash("hash of a")).toBeNull();
  });
}
