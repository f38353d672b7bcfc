import { beforeEach, expect, test } from "bun:test";
import { DEFAULT_PREVIEW_LIFETIME, MAX_ALIASES } from "../../domain/model/preview.ts";
import type { Publication } from "../../domain/ports/store/deployments.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";
import { webhookOf } from "./records.ts";

/** The contract of previews. `current` returns the store of the running test, which is empty at first. */
export function previewContract(current: () => Store): void {
  let ownerId: number;
  let siteId: number;
  let sessionId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    siteId = (await addSite(current(), "demo", ownerId, false)).id;
    sessionId = await addSession(current(), ownerId);
    await current().webhooks.add(webhookOf(siteId), 9);
  });

  const publish = (more: Partial<Publication> = {}) =>
    current().deployments.publish(
      publicationOf({ siteName: "demo", ownerId, sessionId, isPreview: true, createdAt: 10, ...more }),
    );
  const set = (name: string, deploymentNumber: number, expiresAt: number | null = null, at = 20) =>
    current().previews.setAlias(siteId, { name, deploymentNumber, expiresAt, at });
  const events = async () => {
    const deliveries = await current().webhooks.listDeliveries("all", { limit: 99, before: null });
    return deliveries.map(({ event: { type, data } }) => [type as string, data.deployment_number, data.alias]);
  };
  const numbers = async () => {
    const listed = await current().deployments.list(siteId, { limit: 99, before: null });
    return listed.map(({ number }) => number);
  };

  test("a preview is created with its alias in one transaction, and the active deployment stays", async () => {
    const result = await publish({ alias: "pr-1", lifetime: 50 });
    expect(result).toMatchObject({
      outcome: "published",
      site: { activeDeployment: 1 },
      deployment: { number: 2, active: false, activatedAt: null, expiresAt: 60 },
      alias: { name: "pr-1", expiresAt: 60 },
    });
    expect(await current().previews.findRoute(siteId, "pr-1")).toMatchObject({
      deploymentNumber: 2,
      activatedAt: null,
      updatedAt: 10,
    });
    expect(await events()).toEqual([
      ["alias.moved", 2, "pr-1"],
      ["preview.created", 2, "pr-1"],
    ]);
  });

  test("a new site may consist of a preview only", async () => {
    expect(await publish({ siteName: "fresh" })).toMatchObject({ site: { activeDeployment: null, sizeBytes: null } });
    expect(await current().sites.findRoute("fresh")).toMatchObject({ activeDeploymentId: null });
  });

  test("aliases are set, moved, listed by name and removed, and each change increments the generation", async () => {
    await publish();
    const generations = new Set([current().generation()]);
    expect(await set("b", 1)).toMatchObject({ isNew: true, alias: { name: "b", createdAt: 20, updatedAt: 20 } });
    generations.add(current().generation());
    expect(await set("b", 2, 99, 30)).toEqual({
      isNew: false,
      alias: { name: "b", deploymentNumber: 2, createdAt: 20, updatedAt: 30, expiresAt: 99 },
    });
    generations.add(current().generation());
    await set("a", 1);
    expect((await current().previews.listAliases(siteId)).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(await current().previews.deleteAlias(siteId, "b")).toBe(true);
    expect(await current().previews.deleteAlias(siteId, "b")).toBe(false);
    expect(await current().previews.findRoute(siteId, "b")).toBeNull();
    expect(generations.size).toBe(3);
    await set("a", 1, null, 40);
    expect((await events()).slice(0, 3)).toEqual([
      ["alias.moved", 1, "a"],
      ["alias.moved", 2, "b"],
      ["alias.moved", 1, "b"],
    ]);
  });

  test("an alias needs a deployment of its site, and their number is limited", async () => {
    expect(await set("pr-1", 9)).toBe("missing");
    for (let n = 0; n < MAX_ALIASES; n++) await set(`pr-${n}`, 1);
    expect(await set("one-more", 1)).toBe("too_many");
    expect(await publish({ alias: "one-more" })).toEqual({ outcome: "too_many_aliases" });
    expect(await publish({ alias: "pr-7" })).toMatchObject({ outcome: "published" });
  });

  test("a policy is the default until it is changed in part or completely", async () => {
    const { previews } = current();
    expect(await previews.policy(siteId)).toEqual({ access: "site", lifetime: DEFAULT_PREVIEW_LIFETIME });
    await previews.setPolicy(siteId, { lifetime: 5 });
    await previews.setPolicy(siteId, { access: "private" });
    expect(await previews.policy(siteId)).toEqual({ access: "private", lifetime: 5 });
    expect(await publish()).toMatchObject({ deployment: { expiresAt: 15 } });
    expect(await current().sites.findRoute("demo")).toMatchObject({ previewAccess: "private" });
  });

  test("public previews follow a site that becomes private, by a change or by a deployment", async () => {
    const { previews, sites } = current();
    const accessAfter = async (change: () => Promise<unknown>) => {
      await sites.setPrivate(siteId, false);
      await previews.setPolicy(siteId, { access: "public" });
      await change();
      return [(await sites.find("demo"))?.private, (await previews.policy(siteId)).access];
    };
    expect(await accessAfter(() => sites.setPrivate(siteId, true))).toEqual([true, "site"]);
    expect(await accessAfter(() => publish({ makePrivate: true }))).toEqual([true, "site"]);
    expect(await accessAfter(() => publish())).toEqual([false, "public"]);
  });

  test("expired previews and aliases are removed with events; those that are pinned, aliased or published stay", async () => {
    const { previews, deployments, retention } = current();
    for (let n = 2; n <= 5; n++) await publish({ lifetime: 10 });
    await set("ends", 1, 15);
    await set("stays", 3);
    await retention.setPinned(siteId, 4, true);
    await deployments.activate(siteId, 5, 12);
    expect(await previews.expire(14, 10)).toBe(0);
    expect(await previews.expire(20, 1)).toBe(2);
    expect(await previews.expire(20, 1)).toBe(0);
    expect(await numbers()).toEqual([5, 4, 3, 1]);
    expect((await events()).slice(0, 2).toSorted()).toEqual([
      ["preview.expired", 1, "ends"],
      ["preview.expired", 2, null],
    ]);
    const labels = ["ends", "2", "stays", "3", "4", "5"];
    const expired = async () => Promise.all(labels.map((label) => previews.hasExpired(siteId, label)));
    expect(await expired()).toEqual([true, true, false, false, false, false]);
    await previews.deleteAlias(siteId, "stays");
    expect(await previews.expire(25, 10)).toBe(1);
    await previews.deleteExpired(21);
    expect(await expired()).toEqual([false, false, false, true, false, false]);
  });

  test("an alias that is set again no longer counts as expired", async () => {
    const { previews } = current();
    await set("pr-1", 1, 15);
    await previews.expire(20, 10);
    await set("pr-1", 1);
    expect(await previews.hasExpired(siteId, "pr-1")).toBe(false);
  });

  test("retention keeps the targets of aliases", async () => {
    const { retention } = current();
    for (const at of [10, 20, 30]) await publish({ isPreview: false, createdAt: at });
    await set("pr-1", 2);
    const listed = await retention.listDeployments(siteId);
    expect(listed.filter(({ aliased }) => aliased).map(({ number }) => number)).toEqual([2]);
    const ids = listed.filter(({ active }) => !active).map(({ id }) => id);
    expect(await retention.deleteDeployments(siteId, ids, 40)).toEqual([1, 3]);
  });

  test("aliases are deleted with their site", async () => {
    await publish({ alias: "pr-1" });
    await current().sites.delete(siteId, 50, 50);
    expect(await current().previews.listAliases(siteId)).toEqual([]);
  });
}
