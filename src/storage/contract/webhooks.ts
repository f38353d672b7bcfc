import { beforeEach, describe, expect, test } from "bun:test";
import type { Delivery, NewWebhook, Verdict, Webhook } from "../../domain/model/webhook.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DELIVERED } from "../../domain/webhooks/schedule.ts";
import { addPerson, addSite } from "./people.ts";

const PLACES = { maxOfOwner: 9, maxFailing: 9 };
const attempt = { at: 60, statusCode: 503, error: null, duration: 7 };
const again = (nextAttemptAt: number): Verdict => ({
  status: "pending",
  error: "responded with 503",
  nextAttemptAt,
  failingSince: 60,
  disabledReason: null,
  slowResponses: 0,
  restsUntil: null,
});

/** The contract of webhooks. `open` returns a new store, `openOther` a second connection to it. */
export function webhookContract(open: () => Store, openOther: () => Store): void {
  let store: Store;
  let other: Store;
  let sites: [number, number];

  beforeEach(async () => {
    store = open();
    other = openOther();
    const { id } = await addPerson(store, "ada");
    sites = [(await addSite(store, "one", id, false)).id, (await addSite(store, "two", id, false)).id];
  });

  const fresh = (id: string, site: 0 | 1 = 0): NewWebhook => ({
    id,
    siteId: sites[site],
    url: "https://hooks.example.org/",
    events: ["deployment.published", "site.deleted"],
    secret: "whsec_one",
    createdAt: 5,
  });
  const add = (id: string, site: 0 | 1 = 0) => store.webhooks.add(fresh(id, site), 9);
  const find = async (id: string) => (await store.webhooks.find(sites[0], id)) as Webhook;
  const notify = (id: string, at = 50) => store.webhooks.notify(id, { type: "ping", data: { n: at } }, at);
  const take = (from: Store, now: number, limit = 9) =>
    from.webhooks.takeDue({ ...PLACES, now, horizon: now + 1000, restHorizon: now + 100, until: now + 30, limit });
  const taken = async (from: Store, now: number, limit = 9) => (await take(from, now, limit)).map(({ id }) => id);
  const newest = async (id: string) =>
    (await store.webhooks.listDeliveries(id, { limit: 1, before: null }))[0] as Delivery;

  describe("a webhook", () => {
    test("is stored with every field, and found at its own site only", async () => {
      await add("a");
      const expected = {
        previousSecret: null,
        previousSecretUntil: null,
        failingSince: null,
        slowResponses: 0,
        restsUntil: null,
      };
      const on = { disabledAt: null, disabledReason: null };
      expect(await other.webhooks.find(sites[0], "a")).toEqual({ ...fresh("a"), ...expected, ...on });
      expect(await store.webhooks.find(sites[1], "a")).toBeNull();
      expect(await store.webhooks.find(sites[0], "b")).toBeNull();
    });

    test("is limited in number by site", async () => {
      expect(await store.webhooks.add(fresh("a"), 2)).toBeTrue();
      expect(await store.webhooks.add(fresh("b"), 2)).toBeTrue();
      expect(await store.webhooks.add(fresh("c"), 2)).toBeFalse();
      expect(await store.webhooks.add(fresh("d", 1), 2)).toBeTrue();
      expect((await store.webhooks.listOfSite(sites[0])).map(({ id }) => id)).toEqual(["a", "b"]);
    });

    test("changes its URL and filter", async () => {
      await add("a");
      await store.webhooks.change("a", { url: "https://b.example/", events: null });
      expect(await find("a")).toMatchObject({ url: "https://b.example/", events: null });
    });

    test("keeps the fields that a change does not mention", async () => {
      await add("a");
      await store.webhooks.change("a", { url: "https://b.example/" });
      await store.webhooks.change("a", { url: undefined, events: ["site.deleted"] });
      expect(await find("a")).toMatchObject({ url: "https://b.example/", events: ["site.deleted"] });
    });

    test("keeps the secret before a rotation while it is valid", async () => {
      await add("a");
      await store.webhooks.rotate("a", "whsec_two", 99);
      const secrets = { secret: "whsec_two", previousSecret: "whsec_one", previousSecretUntil: 99 };
      expect(await find("a")).toMatchObject(secrets);
    });

    test("that is disabled drops pending deliveries, and has no failures when it is enabled again", async () => {
      await add("a");
      const { id } = await notify("a");
      await store.webhooks.disable("a", 70, "why");
      expect(await find("a")).toMatchObject({ disabledAt: 70, disabledReason: "why" });
      expect(await newest("a")).toMatchObject({ id, status: "failed", nextAttemptAt: null });
      await store.webhooks.enable("a");
      expect(await find("a")).toMatchObject({ disabledAt: null, disabledReason: null, failingSince: null });
      expect(await taken(store, 99)).toEqual([]);
    });

    test("is removed with its deliveries, by its own site only", async () => {
      await add("a");
      await notify("a");
      expect(await store.webhooks.delete(sites[1], "a")).toBeFalse();
      expect(await store.webhooks.delete(sites[0], "a")).toBeTrue();
      expect(await store.webhooks.delete(sites[0], "a")).toBeFalse();
      expect(await taken(store, 99)).toEqual([]);
    });
  });

  describe("deliveries", () => {
    test("are listed newest first, in pages", async () => {
      await add("a");
      await add("b");
      const ids = [await notify("a"), await notify("a"), await notify("a")].map(({ id }) => id).reverse();
      await notify("b");
      const page = async (limit: number, before: number | null) =>
        (await store.webhooks.listDeliveries("a", { limit, before })).map(({ id }) => id);
      expect(await page(9, null)).toEqual(ids);
      expect(await page(1, ids[0] as number)).toEqual([ids[1] as number]);
    });

    test("are taken when they are due, by one caller at a time over all connections", async () => {
      await add("a");
      const { id } = await notify("a", 50);
      expect(await taken(store, 49)).toEqual([]);
      const [due] = await take(store, 50);
      expect(due).toMatchObject({ id, attempts: 0, event: { type: "ping", data: { n: 50 } }, webhook: { id: "a" } });
      expect(await taken(other, 79)).toEqual([]);
      expect(await taken(other, 80)).toEqual([id]);
      await other.webhooks.release(id, 110);
      expect(await taken(store, 81)).toEqual([id]);
    });

    test("whose lease has expired are neither recorded nor released by their former holder", async () => {
      await add("a");
      const { id } = await notify("a", 50);
      const [first] = await take(store, 50);
      const [second] = await take(other, 80);
      expect(await store.webhooks.record(id, attempt, DELIVERED, first!.takenUntil)).toBe(false);
      await store.webhooks.release(id, first!.takenUntil);
      expect(await newest("a")).toMatchObject({ status: "pending", attempts: 0 });
      expect(await taken(store, 81)).toEqual([]);
      expect(await other.webhooks.record(id, attempt, again(200), second!.takenUntil)).toBe(true);
      expect(await other.webhooks.record(id, attempt, DELIVERED, second!.takenUntil)).toBe(false);
      expect(await newest("a")).toMatchObject({ status: "pending", attempts: 1, nextAttemptAt: 200 });
    });

    test("are recorded late if nobody else has taken them", async () => {
      await add("a");
      const { id } = await notify("a", 50);
      const [{ takenUntil } = { takenUntil: 0 }] = await take(store, 50);
      expect(await store.webhooks.record(id, { ...attempt, at: 5000 }, DELIVERED, takenUntil)).toBe(true);
      expect(await store.webhooks.record(id + 1, attempt, DELIVERED, takenUntil)).toBe(false);
    });

    test("are taken anyway if a wrong clock planned or took them", async () => {
      await add("a");
      const { id } = await notify("a", 5000);
      expect(await taken(store, 50)).toEqual([id]);
      await store.webhooks.release(id, 80);
      expect(await taken(store, 900_000)).toEqual([id]);
      expect(await taken(store, 50)).toEqual([id]);
    });

    test("are taken one for each webhook, working ones first, then by time", async () => {
      for (const id of ["a", "b", "c"]) await add(id);
      const [a1, a2] = [await notify("a", 10), await notify("a", 11)];
      await store.webhooks.record(a1.id, attempt, again(12));
      const [b, c] = [await notify("b", 30), await notify("c", 20)];
      expect(await taken(store, 50, 2)).toEqual([c.id, b.id]);
      expect(await taken(store, 50)).toEqual([a2.id]);
      await store.webhooks.record(a2.id, attempt, DELIVERED);
      expect(await taken(store, 50)).toEqual([a1.id]);
    });

    test("are limited by owner, and for all that fail or are slow", async () => {
      const { id: bob } = await addPerson(store, "bob");
      const bobs = { ...fresh("bob"), siteId: (await addSite(store, "bobs", bob, false)).id };
      await store.webhooks.add(bobs, 9);
      for (const [index, id] of ["a", "b", "c", "d"].entries()) await add(id, (index % 2) as 0 | 1);
      const of: Record<number, string> = {};
      for (const [index, id] of ["a", "b", "c", "d", "bob"].entries()) of[(await notify(id, 10 + index)).id] = id;
      const takeSome = async (maxOfOwner: number, maxFailing: number, limit = 9) => {
        const turn = { now: 50, horizon: 1050, restHorizon: 150, until: 80, limit, maxOfOwner, maxFailing };
        return (await store.webhooks.takeDue(turn)).map(({ id }) => of[id]);
      };
      // Bob's is the newest, and still the first.
      expect(await takeSome(2, 9, 2)).toEqual(["a", "bob"]);
      expect(await takeSome(2, 9)).toEqual(["b"]);
      expect(await takeSome(2, 9)).toEqual([]);
      for (const id of Object.keys(of)) await store.webhooks.release(Number(id), 80);

      const slow = { ...DELIVERED, slowResponses: 1 };
      for (const id of ["a", "b"]) await store.webhooks.record((await notify(id, 60)).id, attempt, slow);
      await store.webhooks.record((await notify("c", 60)).id, attempt, { ...again(99), failingSince: 60 });
      expect(await takeSome(9, 2)).toEqual(["d", "bob", "a", "b"]);
      expect(await takeSome(9, 2)).toEqual([]);
      expect(await takeSome(9, 3)).toEqual(["c"]);
    });

    test("stay with their owner's when the site is deleted", async () => {
      await add("a");
      await add("b", 1);
      await notify("a", 10);
      await store.sites.delete(sites[0], 20, 99);
      await notify("b", 11);
      const turn = { now: 50, horizon: 1050, restHorizon: 150, until: 80, limit: 9, maxOfOwner: 1, maxFailing: 9 };
      expect(await store.webhooks.takeDue(turn)).toHaveLength(1);
      expect(await store.webhooks.takeDue(turn)).toHaveLength(0);
    });

    test("wait while their receiver pauses, unless a wrong clock set the pause or somebody requests them", async () => {
      await add("a");
      const { id } = await notify("a", 10);
      const rests = (restsUntil: number) => ({ ...again(20), slowResponses: 1, restsUntil });
      await store.webhooks.record(id, attempt, rests(90));
      expect(await find("a")).toMatchObject({ slowResponses: 1, restsUntil: 90 });
      expect(await taken(store, 89)).toEqual([]);
      expect(await taken(store, 90)).toEqual([id]);
      await store.webhooks.record(id, attempt, rests(9000));
      expect(await taken(store, 91)).toEqual([id]);
      await store.webhooks.record(id, attempt, rests(130));
      expect(await taken(store, 100)).toEqual([]);
      await store.webhooks.retry("a", id, 100);
      expect(await taken(store, 100)).toEqual([id]);
      await store.webhooks.record(id, attempt, rests(130));
      await notify("a", 101);
      expect(await taken(store, 101)).toHaveLength(1);
      await store.webhooks.disable("a", 110, "why");
      await store.webhooks.enable("a");
      expect(await find("a")).toMatchObject({ slowResponses: 0, restsUntil: null });
    });

    test("have the result of the last attempt", async () => {
      await add("a");
      const { id } = await notify("a");
      await store.webhooks.record(id, attempt, again(90));
      const waiting = { status: "pending", attempts: 1, nextAttemptAt: 90, attemptedAt: 60, statusCode: 503 };
      expect(await newest("a")).toMatchObject({ ...waiting, error: "responded with 503", duration: 7 });
      expect((await find("a")).failingSince).toBe(60);
      expect(await taken(store, 89)).toEqual([]);
      expect(await taken(store, 90)).toEqual([id]);
      await store.webhooks.record(id, { ...attempt, statusCode: 204 }, DELIVERED);
      expect(await newest("a")).toMatchObject({ status: "delivered", attempts: 2, nextAttemptAt: null, error: null });
      expect((await find("a")).failingSince).toBeNull();
    });

    test("that disable their webhook are the last ones", async () => {
      await add("a");
      const [one, two] = [await notify("a"), await notify("a")];
      const gone: Verdict = { ...again(0), status: "failed", nextAttemptAt: null, disabledReason: "gone" };
      await store.webhooks.record(one.id, attempt, gone);
      expect(await find("a")).toMatchObject({ disabledAt: 60, disabledReason: "gone" });
      expect(await newest("a")).toMatchObject({ id: two.id, status: "failed" });
    });

    test("in progress while their webhook is disabled or removed start nothing again", async () => {
      await add("a");
      const { id } = await notify("a");
      await take(store, 50);
      await store.webhooks.disable("a", 55, "why");
      await store.webhooks.record(id, attempt, again(90));
      expect(await newest("a")).toMatchObject({ status: "failed", nextAttemptAt: null, attempts: 1 });
      await store.webhooks.delete(sites[0], "a");
      await store.webhooks.record(id, attempt, again(90));
    });

    test("are due again on request, whatever their result", async () => {
      await add("a");
      await add("b");
      const { id } = await notify("a");
      await store.webhooks.record(id, attempt, DELIVERED);
      expect(await store.webhooks.retry("b", id, 70)).toBeNull();
      expect(await store.webhooks.retry("a", 999, 70)).toBeNull();
      expect(await store.webhooks.retry("a", id, 70)).toMatchObject({ id, status: "pending", nextAttemptAt: 70 });
      expect(await taken(store, 70)).toEqual([id]);
    });

    test("are deleted when they are old and have ended", async () => {
      await add("a");
      const [old, waiting, young] = [await notify("a", 10), await notify("a", 11), await notify("a", 50)];
      for (const { id } of [old, young]) await store.webhooks.record(id, attempt, DELIVERED);
      expect(await store.webhooks.deleteBefore(50)).toBe(1);
      const left = await store.webhooks.listDeliveries("a", { limit: 9, before: null });
      expect(left.map(({ id }) => id)).toEqual([young.id, waiting.id]);
      expect(await store.webhooks.listOfSite(sites[0])).toHaveLength(1);
    });

    test("are counted by status, with the age of the oldest pending one", async () => {
      await add("a");
      await add("b");
      await store.webhooks.disable("b", 5, "why");
      const [one] = [await notify("a", 10), await notify("a", 40)];
      await notify("a", 30);
      await store.webhooks.record(one.id, attempt, DELIVERED);
      const { webhooks } = await store.figures();
      expect(webhooks).toEqual({
        active: 1,
        disabled: 1,
        deliveries: [
          { status: "delivered", count: 1 },
          { status: "pending", count: 2 },
        ],
        oldestPendingAt: 30,
      });
    });
  });
}
