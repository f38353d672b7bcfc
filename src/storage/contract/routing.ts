import { beforeEach, expect, test } from "bun:test";
import { UNLIMITED } from "../../domain/model/quota.ts";
import { ENCODED, MAX_AFFECTED_SITES, ROUTING_LOG_LENGTH } from "../../domain/ports/store/routing.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addClaim } from "./add-claim.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf, publishDeployment } from "./publication.ts";
import { recordEncodings } from "./record-encodings.ts";

/**
 * The contract of the routing log. `current` returns the store of the running test, which is empty at first; `other` a
 * second connection to it.
 */
export function routingContract(current: () => Store, other: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  let [one, two] = [0, 0];
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    sessionId = await addSession(current(), ownerId);
    one = (await addSite(current(), "one", ownerId, false)).id;
    two = (await addSite(current(), "two", ownerId, false)).id;
  });

  const publish = (siteName: string, isPreview = false) => {
    const files = [{ path: "a", digest: "a".repeat(64), size: 100 }];
    return publishDeployment(current(), { siteName, ownerId, sessionId, files, isPreview, lifetime: 1 });
  };
  const anAlias = { name: "next", deploymentNumber: 1, expiresAt: 1, at: 0 };
  const operator = { kind: "operator", actor: "root", userId: null, address: "" } as const;
  const anEntry = { at: 0, ...operator, action: "vitrine users freeze", site: null, subject: "" };
  const claimed = (siteId: number) =>
    addClaim(current(), { hostname: "www.example.org", siteId, ownerId, createdAt: 0 });
  /** Makes a change. Returns the sites that it affects, as another thread reads them. */
  const affectedBy = async (change: () => Promise<unknown>) => {
    const before = other().generation();
    await change();
    const affected = other().affectedSites(before, other().generation());
    return affected && [...new Set(affected)].sort();
  };

  test.each<[string, () => Promise<unknown>, () => readonly number[] | null]>([
    ["a deployment", () => publish("two"), () => [two]],
    ["a new site", () => publish("three"), () => [two + 1]],
    ["an activation", () => current().deployments.activate(two, 1, 0), () => [two]],
    ["a change of access", () => current().sites.setPrivate(two, true), () => [two]],
    ["a renamed site", () => current().sites.rename(two, { name: "new", at: 0, nameFreeAt: 9 }), () => [two]],
    ["a frozen site", () => current().sites.setFrozen(two, { at: 0, reason: null }), () => [two]],
    ["a frozen owner", () => current().users.setFrozen(ownerId, { at: 0, reason: null }), () => [one, two]],
    ["a changed owner", () => current().users.change(ownerId, { quota: {} }), () => [one, two]],
    ["an alias", () => current().previews.setAlias(two, anAlias), () => [two]],
    ["a removed alias", () => current().previews.deleteAlias(two, "next"), () => [two]],
    ["a policy for previews", () => current().previews.setPolicy(two, { access: "private", lifetime: 1 }), () => [two]],
    ["a deleted deployment", () => current().retention.deleteDeployments(two, [1], 0), () => [two]],
    [
      "a deployment that its owner deletes",
      () => current().deployments.delete(two, 1, { at: 0, actor: "ada" }),
      () => [two],
    ],
    ["a deleted site", () => current().sites.delete(two, 0, 0), () => [two]],
    [
      "another owner",
      async () => current().sites.transfer(two, (await addPerson(current(), "bob")).id, { quota: UNLIMITED, keep: [] }),
      () => [two],
    ],
    ["a certificate", () => current().certificates.release("www.example.org", 0), () => []],
    ["an operator's entry in the audit log", async () => current().audit.append(anEntry), () => []],
    ["a removed user", async () => current().users.delete((await addPerson(current(), "bob")).id), () => []],
    ["a view", async () => current().views.salt(1, "salt"), () => []],
  ])("%s", async (_, change, expected) => {
    expect(await affectedBy(change)).toEqual(expected() as number[]);
  });

  test("the route of a hostname affects its present and its former site", async () => {
    const claim = await claimed(one);
    const routed = { ...claim, status: "verified", verifiedAt: 0, routeStatus: "routed", routeGeneration: 1 } as const;
    expect(await affectedBy(() => current().claims.save([routed], 0))).toEqual([one]);
    const moved = { ...routed, revision: claim.revision + 1, siteId: two, activatedAt: 1 };
    expect(await affectedBy(() => current().claims.save([moved], 0))).toEqual([one, two]);
  });

  test("previews and aliases that expire affect their sites, and again when they are deleted", async () => {
    await current().previews.setAlias(one, anAlias);
    await publish("two", true);
    expect(await affectedBy(() => current().previews.expire(5, 9))).toEqual([one, two]);
    expect(await affectedBy(() => current().previews.deleteExpired(9))).toEqual([one, two]);
  });

  test("encodings affect the sites whose content had none", async () => {
    await publish("two");
    expect(await affectedBy(() => recordEncodings(current()))).toEqual([ENCODED]);
  });

  test("the log returns all changes in between, each once", async () => {
    const { sites } = current();
    const before = other().generation();
    await sites.setPrivate(one, true);
    await sites.setPrivate(two, true);
    await sites.setPrivate(one, false);
    expect(other().affectedSites(before, before + 3)).toEqual([one, two, one]);
    expect(other().affectedSites(before + 1, before + 2)).toEqual([two]);
    expect(other().affectedSites(before + 3, before + 3)).toEqual([]);
  });

  test("a reader that is too far behind reads everything again", async () => {
    const before = other().generation();
    for (let n = 0; n < ROUTING_LOG_LENGTH; n++) await current().sites.setPrivate(one, n % 2 === 0);
    expect(other().affectedSites(before, before + ROUTING_LOG_LENGTH)).toHaveLength(ROUTING_LOG_LENGTH);
    await current().sites.setPrivate(two, true);
    expect(other().affectedSites(before, before + ROUTING_LOG_LENGTH + 1)).toBeNull();
    expect(other().affectedSites(before + ROUTING_LOG_LENGTH, before + ROUTING_LOG_LENGTH + 1)).toEqual([two]);
  });

  test("a change of many sites counts as a change of everything", async () => {
    for (let n = 2; n < MAX_AFFECTED_SITES; n++) await addSite(current(), `more-${n}`, ownerId, false);
    const freeze = () => current().users.setFrozen(ownerId, null);
    expect(await affectedBy(freeze)).toHaveLength(MAX_AFFECTED_SITES);
    await addSite(current(), "one-more", ownerId, false);
    expect(await affectedBy(freeze)).toBeNull();
  });

  test("a failed change is not logged", async () => {
    const before = other().generation();
    const reused = ["b".repeat(64)];
    const publication = publicationOf({ siteName: "one", ownerId: ownerId + 99, sessionId: 0, reused });
    const refused = await current().deployments.publish(publication);
    expect(refused.outcome).not.toBe("published");
    await current().sites.setPrivate(two, true);
    expect(other().affectedSites(before, other().generation())?.at(-1)).toBe(two);
  });
}
