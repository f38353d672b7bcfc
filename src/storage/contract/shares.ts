import { beforeEach, describe, expect, test } from "bun:test";
import type { NewShare } from "../../domain/model/share.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";

/**
 * The contract of shares and their visits. `current` returns the store of the running test, which is empty at first.
 */
export function shareContract(current: () => Store): void {
  let siteId: number;
  let ownerId: number;
  const here = () => ({ siteId, host: "demo.example", target: "" });
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "alice")).id;
    siteId = (await addSite(current(), "demo", ownerId, true)).id;
  });

  const share = (id: string, wanted: Partial<NewShare> = {}): NewShare => ({
    id,
    siteId,
    label: `share ${id}`,
    kind: "link",
    target: "",
    secretHash: `secret of ${id}`,
    passwordHash: null,
    createdAt: 100,
    expiresAt: 1000,
    ...wanted,
  });
  const visit = (shareId: string, tokenHash: string, createdAt = 200) => ({
    shareId,
    tokenHash,
    host: "demo.example",
    createdAt,
    expiresAt: 900,
  });

  describe("the list", () => {
    test("is sorted newest first, without secrets, with a limit that expired shares do not count for", async () => {
      const { shares } = current();
      expect(await shares.add(share("old", { expiresAt: 150 }), 1)).toBe(true);
      expect(await shares.add(share("a", { createdAt: 150 }), 1)).toBe(true);
      expect(await shares.add(share("b", { createdAt: 151 }), 1)).toBe(false);
      const { secretHash: _, passwordHash: __, ...shown } = share("a", { createdAt: 150 });
      const [newest, oldest] = await shares.listOfSite(siteId);
      expect(newest).toEqual({ ...shown, uses: 0, lastUsedAt: null });
      expect(oldest?.id).toBe("old");
    });

    test("loses shares that its own site removes, and is deleted with the site", async () => {
      const { shares, sites } = current();
      const other = await addSite(current(), "other", ownerId, true);
      await shares.add(share("a"), 9);
      expect(await shares.delete(other.id, "a")).toBe(false);
      expect(await shares.delete(siteId, "a")).toBe(true);
      expect(await shares.delete(siteId, "a")).toBe(false);
      await shares.add(share("b"), 9);
      await sites.delete(siteId, 0, 0);
      expect(await shares.listOfSite(siteId)).toEqual([]);
      const gone = { kind: "not_found", detail: "site does not exist: it was deleted meanwhile" };
      await expect(shares.add(share("c"), 9)).rejects.toMatchObject(gone);
    });
  });

  test("a secret is found by its kind, site and target until it expires", async () => {
    const { shares } = current();
    await shares.add(share("a", { target: "pr-12" }), 9);
    const at = { ...here(), target: "pr-12" };
    const find = (where = at, kind: NewShare["kind"] = "link", now = 999) =>
      shares.findBySecret("secret of a", kind, where, now);
    expect((await find())?.id).toBe("a");
    expect(await find(here())).toBeNull();
    expect(await find({ ...at, siteId: siteId + 1 })).toBeNull();
    expect(await find(at, "automation")).toBeNull();
    expect(await find(at, "link", 1000)).toBeNull();
  });

  test("passwords are found by target, newest first", async () => {
    const { shares } = current();
    const password = (id: string, wanted: Partial<NewShare> = {}) =>
      share(id, { kind: "password", secretHash: null, passwordHash: `hash of ${id}`, ...wanted });
    for (const one of [password("a"), password("b", { createdAt: 101 }), password("c", { target: "1" }), share("d")]) {
      await shares.add(one, 9);
    }
    expect(await shares.listPasswords(here(), 200)).toEqual([
      { id: "b", passwordHash: "hash of b" },
      { id: "a", passwordHash: "hash of a" },
    ]);
    expect(await shares.listPasswords(here(), 1000)).toEqual([]);
  });

  describe("a visit", () => {
    beforeEach(async () => {
      await current().shares.add(share("a"), 9);
    });
    const admits = (token: string, at = here(), now = 300) => current().shares.admits(token, at, now);

    test("is valid for its host, site and target until it ends, and counts as a use", async () => {
      const { shares } = current();
      expect(await shares.enter(visit("a", "t"), 9)).toBe(true);
      expect(await admits("t")).toBe(true);
      expect(await admits("unknown")).toBe(false);
      expect(await admits("t", { ...here(), host: "www.example" })).toBe(false);
      expect(await admits("t", { ...here(), siteId: siteId + 1 })).toBe(false);
      expect(await admits("t", { ...here(), target: "1" })).toBe(false);
      expect(await admits("t", here(), 900)).toBe(false);
      await shares.touch("a", 250);
      expect(await shares.listOfSite(siteId)).toMatchObject([{ uses: 2, lastUsedAt: 250 }]);
    });

    test("ends with its share, which then opens no other", async () => {
      const { shares } = current();
      await shares.enter(visit("a", "t"), 9);
      await shares.delete(siteId, "a");
      expect(await admits("t")).toBe(false);
      expect(await shares.enter(visit("a", "u"), 9)).toBe(false);
    });

    test("ends for a newer one over the limit", async () => {
      const { shares } = current();
      await shares.enter(visit("a", "first", 200), 2);
      await shares.enter(visit("a", "second", 201), 2);
      await shares.enter(visit("a", "third", 202), 2);
      expect([await admits("first"), await admits("second"), await admits("third")]).toEqual([false, true, true]);
    });

    test("is deleted after it ended, and a share some time after it expired", async () => {
      const { shares } = current();
      await shares.enter(visit("a", "t"), 9);
      expect(await shares.deleteExpired(899, 0)).toBe(0);
      expect(await shares.deleteExpired(900, 999)).toBe(1);
      expect(await shares.deleteExpired(2000, 1000)).toBe(1);
      expect(await shares.listOfSite(siteId)).toEqual([]);
    });
  });
}
