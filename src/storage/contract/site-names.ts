import { beforeEach, expect, test } from "bun:test";
import type { Site } from "../../domain/model/site.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";

/** The contract of renamed sites. `current` returns the store of the running test, which is empty at first. */
export function siteNameContract(current: () => Store): void {
  let ada: User;
  let eve: User;
  let site: Site;
  beforeEach(async () => {
    [ada, eve] = [await addPerson(current(), "ada"), await addPerson(current(), "eve")];
    site = await addSite(current(), "old", ada.id, false);
  });

  const rename = (id: number, name: string, at = 10) => current().sites.rename(id, { name, at, nameFreeAt: at + 90 });
  const publish = async (siteName: string, user: User, createdAt = 20) => {
    const sessionId = await addSession(current(), user.id);
    return current().deployments.publish(publicationOf({ siteName, ownerId: user.id, sessionId, createdAt }));
  };

  test("have the new name at once, and are found by the former one until it is free", async () => {
    const { sites } = current();
    expect(await rename(site.id, "new")).toBe("renamed");
    expect([(await sites.find("new"))?.id, (await sites.find("old"))?.name]).toEqual([site.id, "new"]);
    const moved = { siteId: site.id, siteName: "new" };
    expect([await sites.findRoute("old"), await sites.findRenamed("old")]).toEqual([null, moved]);
    expect([await sites.deleteFreeNames(99), await sites.deleteFreeNames(100)]).toEqual([0, 1]);
    expect([await sites.find("old"), await sites.findRenamed("old")]).toEqual([null, null]);
  });

  test("take a name once: not another site's, nor one that is reserved for others", async () => {
    const { sites } = current();
    const hers = await addSite(current(), "hers", eve.id, false);
    const gone = await addSite(current(), "gone", eve.id, false);
    await sites.delete(gone.id, 0, 50);
    await rename(hers.id, "hers-too");
    for (const name of ["hers-too", "hers", "gone"]) expect(await rename(site.id, name)).toBe("taken");
    expect(await rename(site.id, "gone", 50)).toBe("renamed");
    expect(await rename(site.id + 99, "other")).toBe("missing");
  });

  test("may be renamed back, and then the other name leads to them", async () => {
    const { sites } = current();
    await rename(site.id, "new");
    expect(await rename(site.id, "old", 11)).toBe("renamed");
    expect([(await sites.find("new"))?.name, await sites.findRenamed("old")]).toEqual(["old", null]);
  });

  test("of two concurrent renames to one name, one is refused", async () => {
    const other = await addSite(current(), "other", eve.id, false);
    const outcomes = await Promise.all(
      [site, other].map(({ id }) => rename(id, "new").catch(({ kind }: { kind: string }) => kind)),
    );
    expect(outcomes.filter((outcome) => outcome === "renamed")).toHaveLength(1);
  });

  test("refuse a name with which the host of an alias would be too long", async () => {
    const name = "a".repeat(40);
    await current().previews.setAlias(site.id, { name, deploymentNumber: 1, expiresAt: null, at: 0 });
    expect(await rename(site.id, "b".repeat(22))).toEqual({ longAlias: name });
    expect(await rename(site.id, "b".repeat(21))).toBe("renamed");
  });

  test("receive deployments that were begun under the former name, and nobody else does", async () => {
    await rename(site.id, "new");
    expect(await publish("old", ada)).toMatchObject({ outcome: "published", site: { name: "new" } });
    expect(await publish("old", eve)).toEqual({ outcome: "not_owner" });
    // From then on the name is free.
    expect(await publish("old", eve, 100)).toMatchObject({ outcome: "published", site: { name: "old" } });
    expect([(await current().sites.find("old"))?.ownerId, await current().sites.findRenamed("old")]).toEqual([
      eve.id,
      null,
    ]);
  });

  test("keep their activity, without that of sites that had or get one of the names", async () => {
    const { audit, sites } = current();
    const by = { kind: "deployment_token", actor: "CI", userId: null, address: "", subject: "" } as const;
    const append = (at: number, name: string, action: string) => audit.append({ ...by, at, site: name, action });
    await append(5, "new", "of another site");
    await append(5, "old", "first");
    await rename(site.id, "new");
    await append(15, "new", "second");
    await append(25, "old", "of another site");
    const renamed = (await sites.find("new"))!;
    const listed = await audit.listOfSite(renamed, { limit: 9, before: null });
    expect(listed.map(({ action }) => action)).toEqual(["second", "first"]);
    const ofOwner = await audit.listOfOwner(ada.id, { limit: 9, before: null });
    expect(ofOwner.map(({ action }) => action)).toEqual(["second", "first"]);
  });

  test("that are deleted leave all their names reserved for their owner", async () => {
    await rename(site.id, "new");
    await current().sites.delete(site.id, 20, 50);
    expect(await publish("old", eve)).toEqual({ outcome: "name_retired" });
    expect(await publish("old", ada)).toMatchObject({ outcome: "published" });
  });
}
