import { beforeEach, describe, expect, test } from "bun:test";
import type { Encodings } from "../../domain/ports/store/encodings.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession } from "./people.ts";
import { publishDeployment } from "./publication.ts";
import { recordEncodings } from "./record-encodings.ts";

const digest = (n: number) => `${n}`.padStart(64, "0");
const encoded = (n: number, size = 40) => ({ digest: digest(n), size });

/**
 * The contract of encodings. `current` returns the store of the running test, which is empty at first; `other` a second
 * connection to it.
 */
export function encodingContract(current: () => Store, other: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "alice")).id;
    sessionId = await addSession(current(), ownerId);
  });

  const publish = (siteName: string, ...contents: readonly number[]) => {
    const files = contents.map((n) => ({ path: `${n}`, digest: digest(n), size: 100 }));
    return publishDeployment(current(), { siteName, ownerId, sessionId, files, createdAt: 10 });
  };
  /** Claims contents for the node `holder`, for ten milliseconds. Returns them with their epochs. */
  const claim = async (holder: string, now: number, { limit = 9, store = current() } = {}) => {
    const claims = await store.encodings.claim({ holder, now, until: now + 10 }, limit);
    return claims.map(({ digest, epoch }) => `${Number(digest)} epoch ${epoch}`);
  };
  const record = (n: number, epoch: number, now: number, encodings: Encodings = {}) =>
    current().encodings.record([{ digest: digest(n), epoch, encodings }], now);
  const isPending = (holder: string, now: number) => current().encodings.isPending({ holder, now });

  test("contents of active deployments are claimed once, the latest first, until their result is recorded", async () => {
    await publish("one", 1, 2);
    await publish("one", 2, 3, 4);
    expect(await isPending("here", 0)).toBe(true);
    expect(await current().encodings.claim({ holder: "here", now: 0, until: 10 }, 1)).toEqual([
      { digest: digest(4), size: 100, epoch: 1 },
    ]);
    expect(await claim("there", 1, { store: other() })).toEqual(["3 epoch 1", "2 epoch 1"]);
    expect(await claim("there", 2, { store: other(), limit: 1 })).toEqual(["3 epoch 2"]);
    expect([await record(4, 1, 9), await record(3, 2, 9), await record(2, 1, 9)]).toEqual([1, 1, 1]);
    expect([await isPending("here", 99), await claim("here", 99)]).toEqual([false, []]);
  });

  test("a claim that has expired is available to others, and at any time to its own holder", async () => {
    await publish("one", 1);
    await claim("here", 0);
    expect([await claim("there", 9), await isPending("there", 9), await isPending("here", 9)]).toEqual([
      [],
      false,
      true,
    ]);
    expect(await claim("here", 5)).toEqual(["1 epoch 2"]);
    expect(await claim("there", 15)).toEqual(["1 epoch 3"]);
  });

  test("pending content can be searched in some sites only", async () => {
    const [one, two] = [await publish("one", 1), await publish("two", 2)];
    const isPendingOf = (...siteIds: readonly number[]) =>
      current().encodings.isPending({ holder: "there", now: 1 }, siteIds);
    expect(await Promise.all([isPendingOf(one.site.id), isPendingOf(), isPendingOf(99)])).toEqual([true, false, false]);
    expect(await claim("here", 0, { limit: 1 })).toEqual(["2 epoch 1"]);
    expect(await Promise.all([isPendingOf(two.site.id), isPendingOf(two.site.id, one.site.id)])).toEqual([false, true]);
  });

  test("two claims at once divide the contents", async () => {
    await publish("one", 1, 2, 3);
    const [here, there] = await Promise.all([
      claim("here", 0, { limit: 2 }),
      claim("there", 0, { limit: 2, store: other() }),
    ]);
    const claimed = [...here, ...there, ...(await claim("third", 0))];
    expect(claimed.sort()).toEqual(["1 epoch 1", "2 epoch 1", "3 epoch 1"]);
  });

  test("a claim with a wrong time is void", async () => {
    await publish("one", 1);
    await claim("here", 1000);
    expect(await claim("there", 0)).toEqual(["1 epoch 2"]);
  });

  test("nothing is recorded for a claim that has expired or was taken over, nor twice", async () => {
    const { deployment } = await publish("one", 1);
    const file = () => current().files.find(deployment.id, "1");
    await claim("here", 0);
    expect(await record(1, 1, 10, { br: encoded(7) })).toBe(0);
    await claim("there", 10);
    expect(await record(1, 1, 11, { br: encoded(7) })).toBe(0);
    expect(file()).toMatchObject({ encodings: {}, isEncoded: false });
    expect(await record(1, 2, 11, { br: encoded(8) })).toBe(1);
    expect(await record(1, 2, 11, { gzip: encoded(9) })).toBe(0);
    expect(file()).toMatchObject({ encodings: { br: encoded(8) }, isEncoded: true });
  });

  test("are returned with each file, and are final once its content was tried", async () => {
    const { deployment } = await publish("one", 1, 2);
    const states = () => ["1", "2"].map((path) => current().files.find(deployment.id, path));
    await claim("here", 0);
    const encodings = { zstd: encoded(6, 60), br: encoded(7, 40), gzip: encoded(8, 50) };
    await record(1, 1, 1, encodings);
    expect(states()).toMatchObject([
      { digest: digest(1), size: 100, encodings, isEncoded: true },
      { encodings: {}, isEncoded: false },
    ]);
    await record(2, 1, 1);
    expect(states()[1]).toMatchObject({ encodings: {}, isEncoded: true });
  });

  test("change what visitors get", async () => {
    await publish("one", 1);
    const before = current().generation();
    await recordEncodings(current(), { [digest(1)]: { zstd: encoded(7) } });
    expect(current().generation()).not.toBe(before);
  });

  test("of missing content are skipped", async () => {
    expect(await record(9, 1, 0, { zstd: encoded(1) })).toBe(0);
    expect(await isPending("here", 0)).toBe(false);
  });

  describe("encodings as content", () => {
    const condemn = async () =>
      (await Array.fromAsync(current().contents.condemnUnreferenced(99, 99, 100))).reduce((sum, some) => sum + some, 0);
    /** Leaves the site without files and without references to its former content. */
    const empty = async (site: Awaited<ReturnType<typeof publish>>) => {
      await publish(site.site.name);
      await current().retention.deleteDeployments(site.site.id, [site.deployment.id], 30);
    };

    test("exist until their content is deleted, and are not listed as files of deployments", async () => {
      const { contents } = current();
      const one = await publish("one", 1);
      await recordEncodings(current(), { [digest(1)]: { br: encoded(7) } });
      const all = [1, 7, 8].map(digest);
      expect(await contents.unknown(all)).toEqual([digest(8)]);
      expect((await Array.fromAsync(contents.list())).map((content) => content.digest)).toEqual([digest(1)]);
      await empty(one);
      expect(await condemn()).toBe(1);
      expect(await contents.unknown(all)).toEqual([digest(8)]);
      await contents.deleteCondemned(all);
      expect(await contents.unknown(all)).toEqual(all);
    });

    test("keep an unreferenced file with the same bytes", async () => {
      const { contents } = current();
      await publish("one", 1);
      await empty(await publish("packed", 7));
      await recordEncodings(current(), { [digest(1)]: { gzip: encoded(7) } });
      expect(await condemn()).toBe(0);
      expect((await contents.find([digest(7)])).get(digest(7))).toEqual({ condemnedAt: null });
    });

    test("keep such a file even if it was condemned before", async () => {
      const { contents } = current();
      await empty(await publish("packed", 7));
      expect(await condemn()).toBe(1);
      await publish("one", 1);
      await recordEncodings(current(), { [digest(1)]: { gzip: encoded(7) } });
      expect(await contents.listCondemned(1000, "", 9)).toEqual([]);
      await contents.deleteCondemned([digest(7)]);
      expect(await contents.unknown([digest(7)])).toEqual([]);
    });
  });
}
