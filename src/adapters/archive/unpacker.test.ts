import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import type { Unpacker } from "../../domain/ports/archive.ts";
import { type CraftedEntry, craftZip } from "./testing/craft.ts";
import { LIMITS, openWorkbench, texts } from "./testing/unpacking.ts";
import { openUnpacker, remoteUnpacker, shareUnpacker } from "./unpacker.ts";

// Other programs, threads and thousands of files: a busy machine takes its time.
setDefaultTimeout(60_000);

const bench = openWorkbench();
const closing: { close(): void }[] = [bench];
afterAll(() => {
  for (const part of closing.reverse()) part.close();
});

function open(idleMs?: number) {
  const threads: { exited: Promise<unknown> }[] = [];
  const unpacker = openUnpacker({
    limits: LIMITS,
    maxThreads: 2,
    maxWaiting: 100,
    startThread: () => {
      const thread = new Worker(new URL("./testing/thread.ts", import.meta.url), {
        workerData: join(bench.home, "data", "content"),
      });
      threads.push({ exited: new Promise((resolve) => thread.once("exit", resolve)) });
      return thread;
    },
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  closing.push(unpacker);
  return { ...unpacker, threads };
}

/** Lets both threads of an unpacker be busy for ever. */
function occupy(unpacker: Unpacker) {
  const calls = [1, 2].map(() => unpacker.unpack(join(bench.home, "waits.zip")));
  for (const call of calls) call.catch(() => {});
}

describe("the unpacker", () => {
  test("unpacks on another thread", async () => {
    const { unpack } = open();
    const archive = await unpack(bench.save(craftZip([{ content: "from a thread" }])));
    expect(texts(bench.contents(archive))).toEqual({ "index.html": "from a thread" });
  });

  test("answers a refused archive with the error of its judge", async () => {
    const { unpack } = open();
    const error = await unpack(bench.save(craftZip([{ name: "../up" }]))).catch((reason) => reason);
    expect(error).toBeInstanceOf(DomainError);
    expect(error.detail).toContain('entry "../up" leads out of the site');
  });

  test("a missing archive is an error of ours, with a stack", async () => {
    const { unpack } = open();
    const error = await unpack(join(bench.home, "missing.zip")).catch((reason) => reason);
    expect(error).not.toBeInstanceOf(DomainError);
    expect(error.message).toContain("ENOENT");
  });

  test.each(["throws", "rejects", "emits", "exits"])(
    "a thread that %s fails its upload and is replaced",
    async (how) => {
      const { unpack, threads } = open();
      const error = await unpack(join(bench.home, `${how}.zip`)).catch((reason) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(DomainError);
      const archive = await unpack(bench.save(craftZip([{}])));
      expect(archive.files).toHaveLength(1);
      expect(threads).toHaveLength(2);
    },
  );

  test("starts two threads at most, and a thread again after it was idle", async () => {
    const { unpack, threads } = open(0);
    await Promise.all(Array.from({ length: 20 }, () => unpack(bench.save(craftZip([{}])))));
    expect(threads).toHaveLength(2);
    await Promise.all(threads.map((thread) => thread.exited));
    await unpack(bench.save(craftZip([{}])));
    expect(threads).toHaveLength(3);
  });

  test("both threads share a big archive when nobody else waits", async () => {
    const { unpack } = open();
    const file = join(bench.home, "share.zip");
    writeFileSync(file, "");
    truncateSync(file, 2 * 1024 * 1024);
    expect((await unpack(file)).files.map((part) => part.path)).toEqual(["0", "1"]);
    truncateSync(file, 512 * 1024);
    expect((await unpack(file)).files.map((part) => part.path)).toEqual(["0"]);
    rmSync(file);
  });

  test("threads that listed thousands of files end, and the next upload gets another", async () => {
    const { unpack, threads } = open();
    const files = Array.from({ length: 12_000 }, (_, index) => ({ name: `${index}.html`, content: "the same" }));
    const archive = await unpack(bench.save(craftZip(files)));
    expect(archive.files).toHaveLength(files.length);
    expect(archive.files[1]).toMatchObject({ path: "1.html", size: 8 });
    await Promise.all(threads.map((thread) => thread.exited));
    const before = threads.length;
    expect((await unpack(bench.save(craftZip([{}])))).files).toHaveLength(1);
    expect(threads).toHaveLength(before + 1);
  });

  test("nothing stays of a shared archive when one of its shares is refused", async () => {
    const entries: CraftedEntry[] = Array.from({ length: 40 }, (_, index) => {
      return { name: `${index}`, content: Buffer.alloc(50_000, `entry ${index}`), method: 0 };
    });
    const bad = { name: "bad", local: { crc: 1 }, central: { crc: 1 } };
    const before = await Array.fromAsync(bench.blobs.list());
    const { unpack, threads } = open();
    await expect(unpack(bench.save(craftZip([...entries, bad])))).rejects.toThrow('entry "bad" does not match');
    expect(threads).toHaveLength(2);
    expect(await Array.fromAsync(bench.blobs.list())).toEqual(before);
  });

  test("lets a hundred uploads wait, and asks the next one to come back", async () => {
    const unpacker = open();
    occupy(unpacker);
    const waiting = Array.from({ length: 100 }, () =>
      unpacker.unpack(bench.save(craftZip([{}]))).catch((error) => error),
    );
    const refusal = await unpacker.unpack(bench.save(craftZip([{}]))).catch((reason) => reason);
    expect(refusal.kind).toBe("unavailable");
    expect(refusal.extra.retryAfter).toBeGreaterThan(0);
    unpacker.close();
    expect((await Promise.all(waiting)).map((error) => error.kind)).toEqual(Array(100).fill("unavailable"));
  });

  test("closing ends its threads and fails what they were doing", async () => {
    const unpacker = open();
    const unfinished = unpacker.unpack(join(bench.home, "waits.zip")).catch((reason) => reason);
    unpacker.close();
    expect((await unfinished).message).toContain("the program is ending");
  });

  test("is reached from other threads over a channel, errors and all", async () => {
    const { port1, port2 } = new MessageChannel();
    closing.push(port1, port2);
    shareUnpacker(port1, open());
    const remote = remoteUnpacker(port2);
    expect((await remote.unpack(bench.save(craftZip([{}])))).files).toHaveLength(1);
    const error = await remote.unpack(bench.save(craftZip([]))).catch((reason) => reason);
    expect(error).toBeInstanceOf(DomainError);
    expect(error.kind).toBe("invalid");
  });

  test("stores nothing of an archive whose declared sizes are over what its owner may still have", async () => {
    const { port1, port2 } = new MessageChannel();
    closing.push(port1, port2);
    shareUnpacker(port1, open());
    const remote = remoteUnpacker(port2);
    const before = await Array.fromAsync(bench.blobs.list());
    const archive = bench.save(craftZip([{ content: Buffer.alloc(100, "over quota") }]));
    const room = (used: number) => ({ quota: { sites: 1, bytes: 1000 }, usage: { sites: 1, bytes: used } });
    const error = await remote.unpack(archive, room(901)).catch((reason) => reason);
    expect([error.kind, error.detail]).toEqual(["limit_exceeded", expect.stringContaining("this one has 100 more")]);
    expect(await Array.fromAsync(bench.blobs.list())).toEqual(before);
    expect((await remote.unpack(archive, room(900))).files).toHaveLength(1);
  });
});
