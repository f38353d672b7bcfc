import { beforeEach, expect, test } from "bun:test";
import type { Publication } from "../../domain/ports/store/deployments.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";
import { recordEncodings } from "./record-encodings.ts";
import { webhookOf } from "./records.ts";

const digest = (letter: string) => letter.repeat(64);
const ASSET = "app-Aa1bB2cC.js";

/** The contract of deleting one deployment. `current` returns the store of the running test, which is empty at first. */
export function deletionContract(current: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  let siteId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    sessionId = await addSession(current(), ownerId);
    siteId = (await addSite(current(), "demo", ownerId, true)).id;
  });

  /** Publishes files by the letters of their digests. The first is an asset, which stays available after it is replaced. */
  const publish = async (letters: string, more: Partial<Publication> = {}) => {
    const path = (index: number) => (index === 0 ? ASSET : `${index}.txt`);
    const files = [...letters].map((letter, index) => ({ path: path(index), digest: digest(letter), size: 5 }));
    return current().deployments.publish(publicationOf({ siteName: "demo", ownerId, sessionId, files, ...more }));
  };
  const remove = (number: number, at = 50) => current().deployments.delete(siteId, number, { at, actor: "ada" });
  const purges = async () =>
    (await current().contents.listPurges(99)).map((purge) => [purge.digest[0], purge.requestedAt, purge.isUsed]);
  const share = (id: string, target: string) =>
    current().shares.add(
      {
        id,
        siteId,
        label: id,
        kind: "link",
        target,
        secretHash: id,
        passwordHash: null,
        createdAt: 0,
        expiresAt: 1000,
      },
      9,
    );

  test("it is gone with its files and shares, its number counts as expired and is never used again", async () => {
    const { deployments, files, previews, shares, webhooks, retention } = current();
    await webhooks.add(webhookOf(siteId), 9);
    await publish("ab", { createdAt: 10 });
    await publish("cb", { createdAt: 20 });
    await share("ends", "2");
    await share("stays", "");
    await retention.setPinned(siteId, 2, true);
    expect(files.findFormer(siteId, ASSET, 0)).toMatchObject({ digest: digest("a") });
    expect(await remove(2)).toBe("deleted");
    expect([await remove(2), await deployments.find(siteId, 2)]).toEqual(["missing", null]);
    expect(files.findFormer(siteId, ASSET, 0)).toBeNull();
    expect((await shares.listOfSite(siteId)).map(({ id }) => id)).toEqual(["stays"]);
    expect([await previews.hasExpired(siteId, "2"), await previews.hasExpired(siteId, "3")]).toEqual([true, false]);
    const [event] = await webhooks.listDeliveries("all", { limit: 1, before: null });
    expect(event?.event).toMatchObject({
      type: "deployment.deleted",
      at: 50,
      data: { site_name: "demo", deployment_numbers: [2], actor: "ada" },
    });
    expect(await publish("d")).toMatchObject({ deployment: { number: 4 } });
    await previews.deleteExpired(51);
    expect(await previews.hasExpired(siteId, "2")).toBe(false);
  });

  test("it stays while it is active or aliased, and with it everything else", async () => {
    const { deployments, previews } = current();
    await publish("a", { isPreview: true, alias: "pr-2" });
    await previews.setAlias(siteId, { name: "beta", deploymentNumber: 2, expiresAt: null, at: 0 });
    expect([await remove(1), await remove(2), await remove(3)]).toEqual([
      "active",
      { aliases: ["beta", "pr-2"] },
      "missing",
    ]);
    expect((await deployments.list(siteId, { limit: 9, before: null })).map(({ number }) => number)).toEqual([2, 1]);
    expect([await previews.hasExpired(siteId, "2"), await purges()]).toEqual([false, []]);
  });

  test("content that nothing else refers to is to be purged, with its encodings", async () => {
    const { contents } = current();
    await publish("ab", { createdAt: 10 });
    await recordEncodings(current(), { [digest("a")]: { br: { digest: digest("e"), size: 3 } } });
    await publish("b", { createdAt: 20 });
    await remove(2);
    expect(await purges()).toEqual([
      ["a", 50, false],
      ["e", 50, false],
    ]);
    expect(await contents.find([digest("a"), digest("b")])).toEqual(
      new Map([
        [digest("a"), { condemnedAt: 50 }],
        [digest("b"), { condemnedAt: null }],
      ]),
    );
  });

  test("a purge is remembered after it is done, and is done again if it is requested again", async () => {
    const { contents } = current();
    await publish("a", { isPreview: true });
    await remove(2);
    await contents.endPurges(await contents.listPurges(9), 60);
    expect(await purges()).toEqual([]);
    expect(await publish("a", { isPreview: true, startedAt: 50 })).toEqual({ outcome: "content_gone" });
    expect(await publish("a", { isPreview: true, startedAt: 51 })).toMatchObject({ outcome: "published" });
    await remove(3, 70);
    const listed = await contents.listPurges(9);
    await publish("a", { isPreview: true, startedAt: 71 });
    await remove(4, 80);
    await contents.endPurges(listed, 90);
    expect(await purges()).toEqual([["a", 80, false]]);
    await contents.endPurges(await contents.listPurges(9), 90);
    await contents.deletePurges(80);
    expect(await publish("a", { startedAt: 75 })).toEqual({ outcome: "content_gone" });
    await contents.deletePurges(81);
    expect(await publish("a", { startedAt: 75 })).toMatchObject({ outcome: "published" });
  });

  test("content that is written again before its purge is used", async () => {
    await publish("a", { isPreview: true });
    await remove(2);
    expect(await publish("a", { startedAt: 51, reused: [digest("a")] })).toEqual({ outcome: "content_gone" });
    await publish("a", { startedAt: 51 });
    expect(await purges()).toEqual([["a", 50, true]]);
  });
}
