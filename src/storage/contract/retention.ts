import { beforeEach, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publishDeployment } from "./publication.ts";

const digest = (letter: string) => letter.repeat(64);

/** The contract of retention. `current` returns the store of the running test, which is empty at first. */
export function retentionContract(current: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  let siteId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    sessionId = await addSession(current(), ownerId);
    siteId = (await addSite(current(), "demo", ownerId, false)).id;
  });

  /** Publishes files of five bytes each by their digests. Returns the deployment. */
  const publish = async (digests: readonly string[], createdAt: number) => {
    const files = digests.map((path) => ({ path, digest: path, size: 5 }));
    return (await publishDeployment(current(), { siteName: "demo", ownerId, sessionId, files, createdAt })).deployment;
  };

  test("a site has its own policy until that is removed", async () => {
    const { retention } = current();
    const { id: other } = await addSite(current(), "another", ownerId, false);
    const policy = { last: 3, days: null, graceDays: null };
    await retention.setPolicy(siteId, { last: null, days: 7 });
    await retention.setPolicy(siteId, { last: 3, days: null });
    expect([await retention.findPolicy(siteId), await retention.findPolicy(other)]).toEqual([policy, null]);
    expect(await retention.listSites()).toEqual([
      { siteId: other, siteName: "another", policy: null },
      { siteId, siteName: "demo", policy },
    ]);
    await retention.setPolicy(siteId, null);
    expect(await retention.findPolicy(siteId)).toBeNull();
  });

  test("the grace period of a policy stays unless it is set", async () => {
    const { retention } = current();
    const graceOf = async () => (await retention.findPolicy(siteId))?.graceDays;
    const rules = { last: null, days: 1 };
    expect(await graceOf()).toBeUndefined();
    await retention.setPolicy(siteId, { ...rules, graceDays: 0 });
    expect(await graceOf()).toBe(0);
    await retention.setPolicy(siteId, rules);
    expect(await graceOf()).toBe(0);
    expect(await retention.listSites()).toEqual([{ siteId, siteName: "demo", policy: { ...rules, graceDays: 0 } }]);
    await retention.setPolicy(siteId, { ...rules, graceDays: 90 });
    expect(await graceOf()).toBe(90);
    await retention.setPolicy(siteId, null);
    expect(await graceOf()).toBeUndefined();
  });

  test("deployments are listed with the fields that retention needs", async () => {
    const { retention } = current();
    const second = await publish([], 10);
    await publish([], 20);
    expect(await retention.setPinned(siteId, 2, true)).toBe(true);
    expect(await retention.setPinned(siteId, 9, true)).toBe(false);
    const listed = (await retention.listDeployments(siteId)).toSorted((one, other) => one.number - other.number);
    const facts = listed.map(({ number, active, pinned, replacedAt }) => [number, active, pinned, replacedAt]);
    expect(facts).toEqual([
      [1, false, false, 10],
      [2, false, true, 20],
      [3, true, false, null],
    ]);
    expect(listed[1]).toMatchObject({ id: second.id, createdAt: 10, activatedAt: 10 });
  });

  test("of the deployments to remove, those that are pinned, active or another site's stay", async () => {
    const { deployments, retention } = current();
    for (const at of [10, 20]) await publish([], at);
    await addSite(current(), "another", ownerId, false);
    await retention.setPinned(siteId, 2, true);
    const all = (await Array.fromAsync(deployments.all())).map(({ id }) => id);
    expect(await retention.deleteDeployments(siteId, all, 30)).toEqual([1]);
    await retention.setPinned(siteId, 2, false);
    expect(await retention.deleteDeployments(siteId, all, 30)).toEqual([2]);
    expect((await Array.fromAsync(deployments.all())).map(({ siteName, number }) => [siteName, number])).toEqual([
      ["demo", 3],
      ["another", 1],
    ]);
  });

  test("the size of content that only these deployments use is added up, each content once", async () => {
    const { retention } = current();
    const first = await publish([digest("a"), digest("b")], 10);
    const second = await publish([digest("b"), digest("c")], 20);
    const third = await publish([digest("d")], 30);
    expect(await retention.exclusiveBytes([first.id])).toBe(5);
    expect(await retention.exclusiveBytes([first.id, second.id])).toBe(15);
    expect(await retention.exclusiveBytes([first.id, second.id, third.id])).toBe(20);
    expect(await retention.exclusiveBytes([])).toBe(0);
  });
}
