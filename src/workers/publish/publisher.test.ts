import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { type CraftedEntry, craftZip } from "../../archive/testing/craft.ts";
import { LIMITS, openWorkbench, texts } from "../../archive/testing/unpacking.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Room } from "../../domain/model/quota.ts";
import type { UnpackedArchive } from "../../domain/ports/archive.ts";
import { openPublisher, remotePublisher, sharePublisher } from "./publisher.ts";

const bench = openWorkbench();
const closing: { close(): void }[] = [bench];
afterAll(() => {
  for (const part of closing.reverse()) part.close();
});

/** A publisher whose threads respond with what they unpacked. One permit makes them fail. */
function open(idleMs?: number) {
  const threads: { exited: Promise<unknown> }[] = [];
  const home = openPublisher<string, UnpackedArchive>({
    limits: LIMITS,
    maxThreads: 2,
    maxWaiting: 100,
    startThread: () => {
      const thread = new Worker(new URL("../../archive/testing/thread.ts", import.meta.url), {
        workerData: join(bench.home, "data", "content"),
      });
      threads.push({ exited: new Promise((resolve) => thread.once("exit", resolve)) });
      return thread;
    },
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  closing.push(home);
  const publish = (archive: string, room: Room | null = null, permit = "") => home.publish({ archive, room, permit });
  return { home, publish, close: home.close, threads };
}

/** Keeps both threads of a publisher busy forever. */
function occupy({ publish }: ReturnType<typeof open>) {
  const calls = [1, 2].map(() => publish(join(bench.home, "waits.zip")));
  for (const call of calls) call.catch(() => {});
}

describe("the publisher", () => {
  test("unpacks and publishes on another thread", async () => {
    const { publish } = open();
    const archive = await publish(bench.save(craftZip([{ content: "from a thread" }])));
    expect(texts(bench.contents(archive))).toEqual({ "index.html": "from a thread" });
  });

  describe("a large archive", () => {
    const large = (last: Partial<CraftedEntry> = {}) => {
      const files = Array.from({ length: 20 }, (_, n) => ({
        name: `${n}.txt`,
        content: Buffer.alloc(100_000, `${n} `),
        method: 0,
      }));
      return bench.save(craftZip([...files, { name: "last.txt", content: "last", ...last }]));
    };

    test("is shared by two threads, and published whole by one", async () => {
      const { publish, threads } = open();
      const archive = await publish(large());
      expect(threads).toHaveLength(2);
      expect(archive.files.map(({ path }) => path)).toEqual([
        ...Array.from({ length: 20 }, (_, n) => `${n}.txt`).sort(),
        "last.txt",
      ]);
      expect(bench.contents(archive)["19.txt"]).toEqual(Buffer.alloc(100_000, "19 "));
    });

    test("leaves one thread to an upload that waits", async () => {
      const { publish, threads } = open();
      const [one, other] = await Promise.all([publish(large()), publish(large())]);
      expect([one.files.length, other.files.length, threads.length]).toEqual([21, 21, 2]);
    });

    test("leaves nothing behind if a share fails", async () => {
      const { publish } = open();
      const before = await Array.fromAsync(bench.content.list());
      const unique = { name: "new.txt", content: Buffer.alloc(1_200_000, crypto.randomUUID()), method: 0 };
      const archive = bench.save(
        craftZip([unique, { name: "last.txt", content: "wrong", local: { crc: 1 }, central: { crc: 1 } }]),
      );
      const error = await publish(archive).catch((reason) => reason);
      expect(error.detail).toContain('"last.txt"');
      expect(await Array.fromAsync(bench.content.list())).toEqual(before);
    });
  });

  test("returns the validation error of a refused archive", async () => {
    const { publish } = open();
    const error = await publish(bench.save(craftZip([{ name: "../up" }]))).catch((reason) => reason);
    expect(error).toBeInstanceOf(DomainError);
    expect(error.detail).toContain('entry "../up" leads out of the site');
  });

  test("returns the error of the publication, and the thread continues", async () => {
    const { publish, threads } = open();
    const error = await publish(bench.save(craftZip([{}])), null, "disk full").catch((reason) => reason);
    expect([error.kind, error.detail]).toEqual(["disk_full", "the disk is full"]);
    expect((await publish(bench.save(craftZip([{}])))).files).toHaveLength(1);
    expect(threads).toHaveLength(1);
  });

  test("reports a missing archive as an internal error with a stack", async () => {
    const { publish } = open();
    const error = await publish(join(bench.home, "missing.zip")).catch((reason) => reason);
    expect(error).not.toBeInstanceOf(DomainError);
    expect(error.message).toContain("ENOENT");
  });

  test.each(["throws", "rejects", "emits", "exits"])(
    "a thread that %s fails its upload and is replaced",
    async (how) => {
      const { publish, threads } = open();
      const error = await publish(join(bench.home, `${how}.zip`)).catch((reason) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(DomainError);
      const archive = await publish(bench.save(craftZip([{}])));
      expect(archive.files).toHaveLength(1);
      expect(threads).toHaveLength(2);
    },
  );

  test("starts at most two threads, and a new one after being idle", async () => {
    const { publish, threads } = open(0);
    await Promise.all(Array.from({ length: 20 }, () => publish(bench.save(craftZip([{}])))));
    expect(threads).toHaveLength(2);
    await Promise.all(threads.map((thread) => thread.exited));
    await publish(bench.save(craftZip([{}])));
    expect(threads).toHaveLength(3);
  });

  test("queues a hundred uploads, and asks further ones to retry", async () => {
    const publisher = open();
    occupy(publisher);
    const waiting = Array.from({ length: 100 }, () =>
      publisher.publish(bench.save(craftZip([{}]))).catch((error) => error),
    );
    const refusal = await publisher.publish(bench.save(craftZip([{}]))).catch((reason) => reason);
    expect(refusal.kind).toBe("unavailable");
    expect(refusal.extra.retryAfter).toBeGreaterThan(0);
    publisher.close();
    expect((await Promise.all(waiting)).map((error) => error.kind)).toEqual(Array(100).fill("unavailable"));
  });

  test("ends its threads when it closes, and fails their work", async () => {
    const publisher = open();
    const unfinished = publisher.publish(join(bench.home, "waits.zip")).catch((reason) => reason);
    publisher.close();
    expect((await unfinished).message).toContain("the program is ending");
  });

  test("is used by other threads over a channel, including errors", async () => {
    const { port1, port2 } = new MessageChannel();
    closing.push(port1, port2);
    sharePublisher(port1, open().home);
    const remote = remotePublisher<string, UnpackedArchive>(port2);
    expect((await remote.publish(bench.save(craftZip([{}])), "", null)).files).toHaveLength(1);
    const error = await remote.publish(bench.save(craftZip([])), "", null).catch((reason) => reason);
    expect(error).toBeInstanceOf(DomainError);
    expect(error.kind).toBe("invalid");
  });

  test("stores nothing of an archive whose declared sizes exceed the owner's quota", async () => {
    const { port1, port2 } = new MessageChannel();
    closing.push(port1, port2);
    sharePublisher(port1, open().home);
    const remote = remotePublisher<string, UnpackedArchive>(port2);
    const before = await Array.fromAsync(bench.content.list());
    const archive = bench.save(craftZip([{ content: Buffer.alloc(100, "over quota") }]));
    const room = (used: number) => ({ quota: { sites: 1, bytes: 1000 }, usage: { sites: 1, bytes: used } });
    const error = await remote.publish(archive, "", room(901)).catch((reason) => reason);
    expect([error.kind, error.detail]).toEqual(["limit_exceeded", expect.stringContaining("this one has 100 more")]);
    expect(await Array.fromAsync(bench.content.list())).toEqual(before);
    expect((await remote.publish(archive, "", room(900))).files).toHaveLength(1);
  });
});
