import { Database } from "bun:sqlite";
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskFull } from "../../../domain/disk-error.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { ByteSpan } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { memoryObjects, type ObjectMemory } from "../../objects/memory.ts";
import { temporaryStore } from "../../sqlite/testing/temporary-store.ts";
import { contentContract, sample } from "../contract.ts";
import { CacheIndex } from "./cache-index.ts";
import { prepareDiskCache } from "./disk-cache.ts";
import { openS3Content, openS3ContentReadOnly, type S3Content, type S3ContentOptions } from "./s3-content.ts";

const opened: S3Content[] = [];
afterEach(async () => {
  for (const content of opened.splice(0)) {
    await content.settled();
    content.close();
  }
});

/** One or several nodes with objects in memory. Their requests are counted. */
function newBucket() {
  const memory: ObjectMemory = new Map();
  const objects = memoryObjects(memory);
  const { contentObjects: places, contentPlaces: forVisits } = temporaryStore();
  const requests: string[] = [];
  const reported: unknown[] = [];
  const state = { away: false, now: 1_000_000, elapsed: 0 };
  const away = () => {
    if (state.away) throw new DomainError("unavailable", "the bucket b at s3.internal cannot be used");
  };
  const counting: ObjectStore = {
    ...objects,
    async read(name, span) {
      requests.push(`GET ${name} ${span?.start}-${span?.end}`);
      away();
      return objects.read(name, span);
    },
    async write(name, chunks) {
      requests.push(`PUT ${name}`);
      away();
      await objects.write(name, chunks);
    },
  };
  const meters = { hits: 0, misses: 0, hit: () => void meters.hits++, missed: () => void meters.misses++ };
  const node = (options: Partial<S3ContentOptions> = {}) => {
    const folder = options.folder ?? temporaryFolder();
    const content = openS3Content({
      reading: counting,
      writing: counting,
      places,
      forVisits,
      folder,
      cacheBytes: 64 * 1024 * 1024,
      ensureSpace: () => {},
      meters,
      report: (error) => reported.push(error),
      now: () => state.now,
      elapsed: () => state.elapsed,
      ...options,
    });
    opened.push(content);
    return { folder, content, store: content.open() };
  };
  return { memory, places, forVisits, objects: counting, requests, reported, state, meters, node };
}

type Bucket = ReturnType<typeof newBucket>;

/** Stores contents in one unit of work. */
async function store(bucket: Bucket, ...contents: readonly Uint8Array[]): Promise<string[]> {
  const { store: content } = bucket.node();
  const digests: string[] = [];
  for (const bytes of contents) {
    digests.push(Bun.CryptoHasher.hash("sha256", bytes, "hex"));
    await content.put(digests.at(-1)!, bytes);
  }
  await content.sync();
  bucket.requests.length = 0;
  return digests;
}

const filled = (byte: number, size: number) => new Uint8Array(size).fill(byte);
const KIB = 1024;
const MIB = 1024 * KIB;

describe("the content store in objects", () => {
  contentContract(() => {
    const bucket = newBucket();
    const now = Date.now;
    return [bucket.node({ now }).store, bucket.node({ now }).store];
  });
});

describe("a purge", () => {
  const holds = ({ memory }: Bucket, bytes: Uint8Array) =>
    [...memory.values()].some((object) => Buffer.from(object).includes(Buffer.from(bytes)));
  const LATER = Number.MAX_SAFE_INTEGER;

  test("leaves no byte of the content in the bucket, and the rest of its pack can be read by every node", async () => {
    const bucket = newBucket();
    const [secret, shared, large] = [filled(7, KIB), filled(8, KIB), filled(9, 2 * MIB)];
    const [gone = "", kept = "", whole = ""] = await store(bucket, secret, shared, large);
    const former = await bucket.forVisits.locate(kept);
    const unaware = bucket.node({ forVisits: { ...bucket.forVisits, locate: async () => former } }).store;
    const deletions = [gone, whole].map((digest) => ({ digest, writtenBefore: LATER }));
    const { store: content } = bucket.node();
    expect(await content.purge(deletions)).toEqual([gone, whole]);
    expect([holds(bucket, secret), holds(bucket, shared), bucket.memory.size]).toEqual([false, true, 1]);
    expect(await content.read(kept)).toEqual(shared);
    expect(await unaware.read(kept)).toEqual(shared);
    expect(await bucket.places.listCondemned(LATER, 9)).toEqual([]);
    expect(await content.purge(deletions)).toEqual([gone, whole]);
  });

  test("leaves no byte in the disk cache of another node either, and that node fetches the rest again", async () => {
    const bucket = newBucket();
    const secret = filled(7, KIB);
    const [gone = "", kept = ""] = await store(bucket, secret, filled(8, KIB));
    const other = bucket.node();
    const cached = () =>
      readdirSync(join(other.folder, "objects")).some((file) =>
        readFileSync(join(other.folder, "objects", file)).includes(secret),
      );
    await other.store.read(kept);
    await other.content.settled();
    expect([cached(), await other.content.dropDeleted()]).toEqual([true, 0]);
    await bucket.node().store.purge([{ digest: gone, writtenBefore: LATER }]);
    expect([await other.content.dropDeleted(), cached()]).toEqual([1, false]);
    expect(await other.store.read(kept)).toEqual(filled(8, KIB));
  });

  test("that fails is made up for by the next one", async () => {
    const bucket = newBucket();
    const [gone = "", kept = ""] = await store(bucket, filled(7, KIB), filled(8, KIB));
    const { store: content } = bucket.node();
    bucket.state.away = true;
    await expect(content.purge([{ digest: gone, writtenBefore: LATER }])).rejects.toThrow("cannot be used");
    bucket.state.away = false;
    expect(await content.purge([{ digest: gone, writtenBefore: LATER }])).toEqual([gone]);
    expect(holds(bucket, filled(7, KIB))).toBe(false);
    expect(await content.read(kept)).toEqual(filled(8, KIB));
  });
});

describe("what is written", () => {
  test("is stored in packs of up to 8 MiB, and what is larger than 1 MiB by itself", async () => {
    const bucket = newBucket();
    const small = Array.from({ length: 20 }, (_, index) => filled(index, MIB - index));
    await store(bucket, ...small, filled(99, MIB + 1), filled(98, 3));
    const sizes = [...bucket.memory.values()].map(({ length }) => length);
    expect(sizes.sort((one, other) => one - other).slice(0, 2)).toEqual([
      MIB + 1,
      small.slice(16).reduce((sum, { length }) => sum + length, 3),
    ]);
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * MIB);
  });

  test("is noted before it is sent, so that a crash leaves nothing unknown", async () => {
    const bucket = newBucket();
    const { store: content } = bucket.node();
    bucket.state.away = true;
    await content.put(...sample("lost"));
    await expect(content.sync()).rejects.toThrow("the content storage cannot be used now");
    await content.undo();
    const [put] = bucket.requests;
    expect(await bucket.places.condemnEmpty(Number.POSITIVE_INFINITY, 1)).toBe(1);
    expect(await bucket.places.listCondemned(2, 9)).toEqual([put!.slice("PUT ".length)]);
  });

  test("to an object that was condemned meanwhile counts as not stored", async () => {
    const bucket = newBucket();
    const condemn = async () => void (await bucket.places.condemnEmpty(Number.POSITIVE_INFINITY, 1));
    const slow = { ...bucket.objects, write: condemn };
    const { store: content } = bucket.node({ writing: slow });
    await content.put(...sample("late"));
    await expect(content.sync()).rejects.toThrow("try again");
    expect(await Array.fromAsync(content.list())).toEqual([]);
  });

  test("stays on the disk while it is being sent, however wrong the clock of the machine is", async () => {
    const hour = 3_600_000;
    const { store: content, folder } = newBucket().node({ now: () => Date.now() + hour });
    const staged = await content.stage();
    await content.deleteUnfinished(Date.now() + hour - 60_000);
    expect(readdirSync(join(folder, "staging"))).toHaveLength(1);
    await content.deleteUnfinished(Date.now() + hour + 60_000);
    expect(readdirSync(join(folder, "staging"))).toEqual([]);
    await staged.abort();
  });

  test("is refused where the disk has no room for what is to be sent", async () => {
    const bucket = newBucket();
    const full = () => {
      throw diskFull();
    };
    const { store: content, folder } = bucket.node({ ensureSpace: full });
    const staged = await content.stage();
    await expect(staged.write(filled(1, 10))).rejects.toThrow("the disk is full");
    await staged.abort();
    expect(readdirSync(join(folder, "staging"))).toEqual([]);
  });

  test("leaves no file behind while S3 is away", async () => {
    const bucket = newBucket();
    bucket.state.away = true;
    const { store: content, folder } = bucket.node();
    for (const size of [2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, 10]) {
      const staged = await content.stage();
      await staged.write(filled(1, size));
      await staged.commit("a".repeat(64)).catch(() => {});
      await staged.abort();
    }
    await content.undo();
    expect(readdirSync(join(folder, "staging"))).toEqual([]);
  });

  test("by several callers at once keeps to the size of a pack", async () => {
    const bucket = newBucket();
    const { store: content } = bucket.node();
    const puts = Array.from({ length: 60 }, (_, index) => {
      const bytes = filled(index, MIB);
      return content.put(Bun.CryptoHasher.hash("sha256", bytes, "hex"), bytes);
    });
    await Promise.all(puts);
    await content.sync();
    expect(Math.max(...[...bucket.memory.values()].map(({ length }) => length))).toBeLessThanOrEqual(8 * MIB);
  });
});

describe("the disk cache", () => {
  const site = () => Array.from({ length: 40 }, (_, index) => filled(index, 20 * KIB));

  test("gets a whole site with one request, also for concurrent visits of several threads, and survives a restart", async () => {
    const bucket = newBucket();
    const digests = await store(bucket, ...site());
    const { folder, store: first, content } = bucket.node();
    const { store: second } = bucket.node({ folder });
    const read = await Promise.all(digests.flatMap((digest) => [first.read(digest), second.read(digest)]));
    expect(read.every((bytes, index) => Buffer.compare(bytes, site()[Math.floor(index / 2)]!) === 0)).toBe(true);
    await content.settled();
    expect(bucket.requests).toHaveLength(1);

    prepareDiskCache(folder);
    bucket.state.away = true;
    const { store: restarted } = bucket.node({ folder });
    for (const digest of digests) await restarted.read(digest);
    expect(await new Response(await restarted.open(digests[3]!)).bytes()).toEqual(site()[3]!);
    expect(bucket.requests).toHaveLength(1);
  });

  test("has what was sent from this node, small and large", async () => {
    const bucket = newBucket();
    const { store: content } = bucket.node();
    const digests: string[] = [];
    for (const bytes of [...site(), filled(77, 3 * MIB)]) {
      digests.push(Bun.CryptoHasher.hash("sha256", bytes, "hex"));
      await content.put(digests.at(-1)!, bytes);
    }
    const staged = await content.stage();
    const large = filled(78, 9 * MIB);
    await staged.write(large);
    digests.push(Bun.CryptoHasher.hash("sha256", large, "hex"));
    await staged.commit(digests.at(-1)!);
    await content.sync();
    bucket.state.away = true;
    expect(await content.read(digests[7]!)).toEqual(site()[7]!);
    expect(await content.read(digests[40]!)).toEqual(filled(77, 3 * MIB));
    expect(Buffer.compare(await (await content.open(digests[41]!))!.bytes(), large)).toBe(0);
  });

  test("is queried once for all visitors of a thread while another thread fetches their object", async () => {
    const bucket = newBucket();
    const digests = await store(bucket, ...site());
    const response = Promise.withResolvers<void>();
    const slow = {
      read: async (name: string, span?: ByteSpan) => {
        await response.promise;
        return bucket.objects.read(name, span);
      },
    };
    using polls = spyOn(CacheIndex.prototype, "isClaimed");
    using claims = spyOn(CacheIndex.prototype, "claim");
    const { folder, store: first } = bucket.node({ reading: slow });
    const fetched = first.read(digests[0]!);
    while (claims.mock.calls.length === 0) await Bun.sleep(1);
    claims.mockClear();
    try {
      const { store: second } = bucket.node({ folder });
      const read = digests.map((digest) => second.read(digest));
      while (polls.mock.calls.length < 5) await Bun.sleep(1);
      expect(claims.mock.calls.length).toBe(digests.length);
      expect(polls.mock.calls.length).toBeLessThan(digests.length);
      response.resolve();
      expect(await Promise.all([fetched, ...read])).toHaveLength(digests.length + 1);
    } finally {
      response.resolve();
      polls.mockRestore();
      claims.mockRestore();
    }
    expect(bucket.requests).toHaveLength(1);
  });

  test("is waited for once: a visitor does not wait for one thread after the other to fail", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, filled(1, 10));
    const { store: content } = bucket.node();
    using claims = spyOn(CacheIndex.prototype, "claim").mockReturnValue(false);
    expect(await content.read(digest!)).toEqual(filled(1, 10));
    expect(claims).toHaveBeenCalledTimes(2);
  });

  test("does not hold the content: an unreachable S3 is reported with a time to retry, and requested rarely", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, filled(1, 10));
    bucket.state.away = true;
    const { store: content } = bucket.node();
    const failures = await Promise.all([1, 2, 3].map(() => content.read(digest!).catch((error: unknown) => error)));
    for (const error of failures) {
      expect(error).toMatchObject({ kind: "unavailable", extra: { retryAfter: 5 } });
      expect((error as Error).message).not.toContain("s3.internal");
    }
    expect(bucket.requests).toHaveLength(1);
    bucket.state.away = false;
    bucket.state.elapsed += 2000;
    expect(await content.read(digest!)).toEqual(filled(1, 10));
  });

  test("is requested again after a failure, also if the clock of the machine is set back then", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, filled(1, 10));
    bucket.state.away = true;
    const { store: content } = bucket.node();
    await expect(content.read(digest!)).rejects.toThrow();
    bucket.state.away = false;
    bucket.state.now -= 3_600_000;
    bucket.state.elapsed += 2000;
    expect(await content.read(digest!)).toEqual(filled(1, 10));
  });

  test("fetches nothing while the metadata is away and does not say what is in an object, but serves the visitor", async () => {
    const bucket = newBucket();
    const digests = await store(bucket, ...site());
    const lost = () => Promise.reject(new DomainError("unavailable", "the database cannot be reached"));
    const { folder, store: first, content } = bucket.node({ forVisits: { ...bucket.forVisits, contentsOf: lost } });
    expect(await first.read(digests[7]!)).toEqual(site()[7]!);
    await content.settled();
    expect([readdirSync(join(folder, "objects")), bucket.reported]).toEqual([[], []]);

    const { store: second } = bucket.node({ folder, forVisits: { locate: lost, contentsOf: lost } });
    await expect(second.read(digests[4]!)).rejects.toThrow("the content storage cannot be used now");

    const { store: later, content: fetching } = bucket.node({ folder });
    expect(await later.read(digests[4]!)).toEqual(site()[4]!);
    await fetching.settled();
    for (const [index, digest] of digests.entries()) expect(await second.read(digest)).toEqual(site()[index]!);
  });

  test("fetches again what is damaged, cut off or gone", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, filled(1, 300 * KIB));
    const { folder, store: content, content: node } = bucket.node();
    const damages: ((file: string) => void)[] = [
      (file) => writeFileSync(file, filled(2, 300 * KIB)),
      (file) => truncateSync(file, 5),
      (file) => rmSync(file),
    ];
    for (const damage of damages) {
      for (const read of [
        () => content.read(digest!),
        async () => (await bucket.node({ folder }).store.open(digest!))!.bytes(),
      ]) {
        await content.read(digest!);
        await node.settled();
        const [name] = readdirSync(join(folder, "objects"));
        damage(join(folder, "objects", name!));
        expect(await read()).toEqual(filled(1, 300 * KIB));
        for (const one of opened) await one.settled();
      }
    }
    expect(bucket.reported).toEqual([]);
  });

  test("takes nothing that is damaged in the bucket, and the rest of its pack", async () => {
    const bucket = newBucket();
    const digests = await store(bucket, filled(1, 10), filled(2, 10), filled(3, 10));
    const [object] = bucket.memory.keys();
    bucket.memory.get(object!)![15] = 9;
    const { store: content, content: node } = bucket.node();
    await expect(content.read(digests[1]!)).rejects.toThrow("the content storage cannot be used now");
    bucket.state.elapsed += 2000;
    expect(await content.read(digests[0]!)).toEqual(filled(1, 10));
    await node.settled();
    expect(String(bucket.reported[0])).toContain(`content ${digests[1]} is damaged in the object`);
    bucket.state.away = true;
    expect(await content.read(digests[2]!)).toEqual(filled(3, 10));
  });

  test("keeps to its budget: what was used last stays", async () => {
    const bucket = newBucket();
    const [one, two, three] = [
      ...(await store(bucket, filled(1, 40 * KIB))),
      ...(await store(bucket, filled(2, 40 * KIB))),
      ...(await store(bucket, filled(3, 40 * KIB))),
    ] as [string, string, string];
    const { folder, store: content, content: node } = bucket.node({ cacheBytes: 100 * KIB });
    for (const digest of [one, two, one, three]) {
      await content.read(digest);
      await node.settled();
      bucket.state.now += 120_000;
    }
    const files = readdirSync(join(folder, "objects")).map((name) => statSync(join(folder, "objects", name)).size);
    expect(files).toEqual([40 * KIB, 40 * KIB]);
    bucket.state.away = true;
    const { store: other } = bucket.node({ folder });
    await other.read(one);
    await other.read(three);
    await expect(other.read(two)).rejects.toThrow();
  });

  test("breaks no visit where the disk is full, or where it is too small", async () => {
    const bucket = newBucket();
    const digests = await store(bucket, filled(1, 10), filled(2, 20));
    const full = () => {
      throw diskFull();
    };
    for (const options of [{ ensureSpace: full }, { cacheBytes: 5 }]) {
      const { folder, store: content, content: node } = bucket.node(options);
      expect(await content.read(digests[1]!)).toEqual(filled(2, 20));
      await node.settled();
      expect(await content.read(digests[0]!)).toEqual(filled(1, 10));
      await node.settled();
      expect([readdirSync(join(folder, "objects")), readdirSync(join(folder, "staging"))]).toEqual([[], []]);
    }
    expect(bucket.reported).toEqual([]);
  });

  test("keeps no file that its index does not know", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, filled(1, 10));
    const { folder, store: content, content: node } = bucket.node();
    new Database(join(folder, "index.db")).run("DROP TABLE contents");
    expect(await content.read(digest!)).toEqual(filled(1, 10));
    await node.settled();
    expect([readdirSync(join(folder, "objects")), readdirSync(join(folder, "staging"))]).toEqual([[], []]);
    expect(String(bucket.reported.at(-1))).toContain("no such table");
  });

  test("whose index is damaged starts empty", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, filled(1, 10));
    const { folder, store: content, content: node } = bucket.node();
    await content.read(digest!);
    await node.settled();
    node.close();
    opened.pop();
    for (const log of ["-wal", "-shm"]) rmSync(join(folder, `index.db${log}`), { force: true });
    writeFileSync(join(folder, "index.db"), "nothing that SQLite reads ".repeat(100));
    writeFileSync(join(folder, "objects", "stray"), "left by a crash");
    prepareDiskCache(folder);
    expect(readdirSync(join(folder, "objects"))).toEqual([]);
    expect(await bucket.node({ folder }).store.read(digest!)).toEqual(filled(1, 10));
  });
});

describe("large content", () => {
  const large = new Uint8Array(Buffer.concat(Array.from({ length: 20 }, (_, index) => filled(index, MIB / 2))));

  test("is passed on in parts while it is fetched, and is a file from then on", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, large);
    const { store: content, content: node } = bucket.node();
    expect(await content.open(digest!)).toBeNull();
    expect(await content.read(digest!, { start: 9 * MIB, end: 9 * MIB + 5 })).toEqual(filled(18, 5));
    await node.settled();
    // Each part was requested once.
    expect(new Set(bucket.requests).size).toBe(bucket.requests.length);
    expect(bucket.requests).toHaveLength(5);
    expect(Buffer.compare(await (await content.open(digest!))!.bytes(), large)).toBe(0);
  });

  test("is fetched two at a time, and read in parts meanwhile", async () => {
    const bucket = newBucket();
    const digests = await store(bucket, ...[1, 2, 3, 4].map((byte) => filled(byte, 9 * MIB)));
    const { store: content, content: node, folder } = bucket.node();
    for (const [index, digest] of digests.entries()) {
      expect(await content.read(digest, { start: 0, end: 1 })).toEqual(filled(index + 1, 1));
    }
    await node.settled();
    expect(readdirSync(join(folder, "objects"))).toHaveLength(2);
    expect(await content.open(digests[3]!)).toBeNull();
    await node.settled();
    expect(await content.open(digests[3]!)).not.toBeNull();
  });

  test("that is damaged in the bucket never becomes a file", async () => {
    const bucket = newBucket();
    const [digest] = await store(bucket, large);
    bucket.memory.values().next().value![5] = 77;
    const { store: content, content: node } = bucket.node();
    await content.open(digest!);
    await node.settled();
    expect(await content.open(digest!)).toBeNull();
    expect(String(bucket.reported[0])).toContain("is damaged in the object");
  });
});

test("commands read what is in the bucket, and say what is missing or damaged there", async () => {
  const bucket = newBucket();
  const [whole, damaged, gone] = [
    ...(await store(bucket, filled(1, 10))),
    ...(await store(bucket, filled(2, 10))),
    ...(await store(bucket, filled(3, 10))),
  ] as [string, string, string];
  const [, second, third] = bucket.memory.keys();
  bucket.memory.get(second!)![0] = 7;
  bucket.memory.delete(third!);
  const content = openS3ContentReadOnly(bucket.objects, bucket.places);
  expect(await content.hash(whole)).toEqual({ digest: whole, size: 10 });
  expect((await content.hash(damaged))?.digest).not.toBe(damaged);
  expect(await content.hash(gone)).toBeNull();
  await expect(content.read(gone)).rejects.toThrow("run vitrine verify");
});
