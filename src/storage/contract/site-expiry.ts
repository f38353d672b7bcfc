import { beforeEach, expect, test } from "bun:test";
import { expiryAfter } from "../../domain/model/site-expiry.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DAY } from "../../domain/timestamp.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";
import { webhookOf } from "./records.ts";

/** The contract of sites that expire. */
export function siteExpiryContract(current: () => Store): void {
  let ada: number;
  beforeEach(async () => {
    ada = (await addPerson(current(), "ada")).id;
  });

  const expiringIn = async (name: string, lifetime: number) => {
    const { id } = await addSite(current(), name, ada, false);
    await current().sites.setExpiry(id, expiryAfter(0, lifetime));
    return id;
  };
  const find = async (name: string) => {
    const site = await current().sites.find(name);
    return site && [site.expiresAt, site.expired];
  };

  test("each expires at its time, and is back with another expiry", async () => {
    const { sites } = current();
    const id = await expiringIn("short", DAY);
    await addSite(current(), "lasting", ada, false);
    expect(await sites.expire(DAY - 1, 9)).toBe(0);
    expect([await sites.expire(DAY, 9), await sites.expire(DAY, 9)]).toEqual([1, 0]);
    expect([await find("short"), await find("lasting")]).toEqual([
      [DAY, true],
      [null, false],
    ]);
    expect(await sites.setExpiry(id, expiryAfter(DAY, null))).toBe(true);
    expect(await find("short")).toEqual([null, false]);
    expect(await sites.setExpiry(999, expiryAfter(0, DAY))).toBe(false);
  });

  test("the webhooks are told once, a day before, unless the site has another expiry by then", async () => {
    const { sites, webhooks } = current();
    const id = await expiringIn("told", 3 * DAY);
    await expiringIn("short", DAY);
    await webhooks.add(webhookOf(id), 9);
    expect(await sites.notifyExpiring(2 * DAY - 1, 9)).toBe(0);
    expect([await sites.notifyExpiring(2 * DAY, 9), await sites.notifyExpiring(2 * DAY, 9)]).toEqual([1, 0]);
    const told = () => webhooks.listDeliveries("all", { limit: 9, before: null });
    const [delivery] = await told();
    expect(delivery?.event).toMatchObject({ type: "site.expiring", data: { expires_at: "1970-01-04T00:00:00.000Z" } });
    await sites.setExpiry(id, expiryAfter(0, 10 * DAY));
    expect(await sites.notifyExpiring(3 * DAY, 9)).toBe(0);
    // After a long standstill there is nothing to announce any more.
    expect(await sites.notifyExpiring(20 * DAY, 9)).toBe(1);
    expect(await told()).toHaveLength(1);
  });

  test("an expired one is deleted unless it was rescued meanwhile", async () => {
    const { sites } = current();
    const [gone, rescued] = [await expiringIn("gone", DAY), await expiringIn("rescued", DAY)];
    await sites.expire(DAY, 9);
    expect(await sites.listExpired(DAY - 1, 9)).toEqual([]);
    const over = (await sites.listExpired(DAY, 9)).map(({ id }) => id);
    expect(over.sort()).toEqual([gone, rescued].sort());
    await sites.setExpiry(rescued, expiryAfter(DAY, DAY));
    const remove = (id: number) => sites.delete(id, DAY, 2 * DAY, { ifExpiredBefore: DAY });
    expect([await remove(gone), await remove(rescued)]).toEqual(["deleted", "missing"]);
    expect([await find("gone"), await find("rescued")]).toEqual([null, [2 * DAY, false]]);
  });

  test("a deployment gives a lifetime to a site that it makes, and to no other, and an expired one takes none", async () => {
    const { deployments, sites } = current();
    const sessionId = await addSession(current(), ada, 100 * DAY, 100 * DAY);
    const publish = (siteLifetime: number) =>
      deployments.publish(publicationOf({ siteName: "demo", ownerId: ada, sessionId, siteLifetime, createdAt: 5 }));
    expect((await publish(3 * DAY)).outcome).toBe("published");
    expect(await find("demo")).toEqual([5 + 3 * DAY, false]);
    expect((await publish(9 * DAY)).outcome).toBe("published");
    expect(await find("demo")).toEqual([5 + 3 * DAY, false]);
    await sites.expire(4 * DAY, 9);
    expect((await publish(3 * DAY)).outcome).toBe("expired");
  });
}
