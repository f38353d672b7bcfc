import { describe, expect, test } from "bun:test";
import { OPERATOR_WEBHOOK } from "../../domain/model/webhook.ts";
import type { Store } from "../../domain/ports/store.ts";

/**
 * The contract of backups, incidents and the operator's webhook. `current` returns the store of the running test, which
 * is empty at first.
 */
export function backupContract(current: () => Store): void {
  const begin = (id: string, at: number, place = "here") => current().backups.begin({ id, place, at });

  describe("backups of which", () => {
    test("one is running at a time", async () => {
      expect([await begin("a", 1), await begin("b", 2)]).toEqual(["a", null]);
      expect((await current().backups.list()).map(({ id }) => id)).toEqual(["a"]);
      expect(await current().backups.find("a")).toEqual({
        id: "a",
        place: "here",
        createdAt: 1,
        state: "running",
        bytes: 0,
        progress: 0,
        error: null,
        attempts: 0,
        retryAt: 1,
        verifiedAt: null,
        verifying: false,
      });
    });

    test("a failed one is started again with its id, and keeps its attempts and its error", async () => {
      const { backups } = current();
      await begin("a", 1);
      await backups.change("a", { state: "failed", error: "away", attempts: 2, retryAt: 50, progress: 0.5 });
      expect(await begin("b", 9, "there")).toBe("a");
      const again = { state: "running", place: "there", createdAt: 9, retryAt: 9, progress: 0, attempts: 2 };
      expect(await backups.find("a")).toMatchObject({ ...again, error: "away" });
      expect(await backups.find("b")).toBeNull();
    });

    test("the newest are listed first", async () => {
      const { backups } = current();
      await backups.add("here", [
        { id: "old", createdAt: 1, bytes: 10 },
        { id: "new", createdAt: 3, bytes: 0 },
        { id: "middle", createdAt: 2, bytes: 5 },
      ]);
      expect((await backups.list()).map(({ id }) => id)).toEqual(["new", "middle", "old"]);
    });

    test("those found at the destination are complete, and known ones stay as they are", async () => {
      const { backups } = current();
      await begin("a", 5);
      await backups.add("there", [
        { id: "a", createdAt: 1, bytes: 1 },
        { id: "b", createdAt: 2, bytes: 7 },
      ]);
      expect((await backups.find("a"))?.state).toBe("running");
      const found = { state: "done", progress: 1, place: "there", createdAt: 2, bytes: 7, retryAt: null };
      expect(await backups.find("b")).toMatchObject(found);
      await backups.add("there", []);
    });

    test("a removed one can no longer be changed", async () => {
      const { backups } = current();
      await begin("a", 1);
      expect([await backups.delete("a"), await backups.delete("a")]).toEqual([true, false]);
      expect(await backups.change("a", { progress: 1 })).toBe(false);
      expect(await backups.list()).toEqual([]);
    });
  });

  const incident = (name: string) => ({ name, event: { type: "disk.low", data: { name } } }) as const;

  describe("incidents", () => {
    const notifications = async () => {
      const deliveries = await current().webhooks.listDeliveries(OPERATOR_WEBHOOK, { limit: 9, before: null });
      return deliveries.map(({ event }) => `${event.type} ${event.data.name} ${event.at}`);
    };
    const receiver = { url: "https://a.example/", secret: "whsec_AAAA" };

    const begin = (at: number, ...names: string[]) =>
      current().incidents.change({ begun: names.map(incident), over: [] }, at);

    test("are reported to the operator once while they are open, and again when they recur", async () => {
      const { incidents, webhooks } = current();
      await webhooks.keepOperators(receiver, 0);
      expect(await begin(1, "a", "b")).toEqual(["a", "b"]);
      expect(await begin(2, "a", "b")).toEqual([]);
      expect(await incidents.change({ begun: [], over: ["a", "unknown"] }, 3)).toEqual([]);
      expect([...(await incidents.listNames())]).toEqual(["b"]);
      expect(await begin(4, "a", "b")).toEqual(["a"]);
      expect(await notifications()).toEqual(["disk.low a 4", "disk.low b 1", "disk.low a 1"]);
    });

    test("are stored without a webhook", async () => {
      expect(await begin(1, "a")).toEqual(["a"]);
      await current().webhooks.keepOperators(receiver, 2);
      expect(await begin(3, "a")).toEqual([]);
      expect(await notifications()).toEqual([]);
    });
  });

  describe("the operator's webhook", () => {
    const wanted = { url: "https://a.example/", secret: "whsec_AAAA" };

    test("is changed, switched on again, and removed with its deliveries", async () => {
      const { webhooks } = current();
      await webhooks.keepOperators(wanted, 1);
      await webhooks.disable(OPERATOR_WEBHOOK, 2, "gone");
      await webhooks.keepOperators({ ...wanted, url: "https://b.example/" }, 3);
      expect(await webhooks.findOperators()).toMatchObject({
        url: "https://b.example/",
        disabledAt: null,
        siteId: null,
      });
      await current().incidents.change({ begun: [incident("a")], over: [] }, 4);
      expect(await webhooks.listDeliveries(OPERATOR_WEBHOOK, { limit: 9, before: null })).toHaveLength(1);
      await webhooks.keepOperators(null, 5);
      expect(await webhooks.findOperators()).toBeNull();
      expect(await webhooks.listDeliveries(OPERATOR_WEBHOOK, { limit: 9, before: null })).toEqual([]);
    });

    test("is not deleted like those of deleted sites", async () => {
      const { webhooks } = current();
      await webhooks.keepOperators(wanted, 1);
      await webhooks.deleteBefore(1000);
      expect(await webhooks.findOperators()).not.toBeNull();
    });
  });
}
