import { expect, test } from "bun:test";
import { DomainError } from "../../domain/errors.ts";
import type { Blobs } from "../../domain/ports/blobs.ts";

/**
 * What every implementation of `Blobs` keeps. `openTwice` makes an empty one, opened by two threads; `whileRefused` runs
 * something while no file can be had.
 */
export function blobsContract(
  openTwice: () => [Blobs, Blobs],
  whileRefused: (action: () => Promise<void>) => Promise<void>,
): void {
  const open = () => openTwice()[0];
  const read = (blobs: Blobs, digest: string, encoding?: "br") => Bun.file(blobs.path(digest, encoding)).bytes();
  const exists = (blobs: Blobs, digest: string, encoding?: "br") => Bun.file(blobs.path(digest, encoding)).exists();
  const digests = async (blobs: Blobs) => (await Array.fromAsync(blobs.list())).map((blob) => blob.digest).sort();

  test("content is found under its digest, and survives sync", async () => {
    const blobs = open();
    const [digest, content] = sample("hello");
    blobs.write(digest, content);
    await blobs.sync();
    expect(await read(blobs, digest)).toEqual(content);
  });

  test("content and its encodings are read whole, and what there is not is refused", async () => {
    const blobs = open();
    const [digest, content] = sample("read");
    blobs.write(digest, content);
    blobs.write(digest, new Uint8Array([1, 2]), "br");
    expect(await blobs.read(digest)).toEqual(content);
    expect(await blobs.read(digest, "br")).toEqual(new Uint8Array([1, 2]));
    expect(blobs.read(digest, "gzip")).rejects.toThrow();
  });

  test("what is read at once is the content, or nothing where its size is another or there is none", async () => {
    const blobs = open();
    const [digest, content] = sample("now");
    blobs.write(digest, content);
    await blobs.read(digest);
    expect([null, content]).toContainEqual(blobs.readNow(digest, "identity", content.length));
    expect(blobs.readNow(digest, "identity", content.length - 1)).toBeNull();
    expect(blobs.readNow(digest, "identity", content.length + 1)).toBeNull();
    expect(blobs.readNow(digest, "gzip", content.length)).toBeNull();
  });

  test("a part of content is read, what there is of it where the content ends before, and what there is not is refused", async () => {
    const blobs = open();
    const [digest, content] = sample("in parts");
    blobs.write(digest, content);
    blobs.write(digest, new Uint8Array([1, 2, 3]), "br");
    const text = async (...part: Parameters<Blobs["readPart"]>) => String(await blobs.readPart(...part));
    expect(await text(digest, "identity", 0, content.length)).toBe(String(content));
    expect(await text(digest, "identity", 3, 4)).toBe(String(content.subarray(3, 7)));
    expect(await text(digest, "identity", content.length - 2, 10)).toBe(String(content.subarray(-2)));
    expect(await text(digest, "identity", content.length, 10)).toBe("");
    expect(await text(digest, "br", 1, 1)).toBe("2");
    expect(text(digest, "gzip", 0, 1)).rejects.toThrow();
  });

  test("parts are their reader's: reading another one changes none", async () => {
    const blobs = open();
    const [digest] = sample("own");
    blobs.write(digest, new Uint8Array([1, 2, 3, 4]));
    const first = await blobs.readPart(digest, "identity", 0, 2);
    await blobs.readPart(digest, "identity", 2, 2);
    expect(first).toEqual(new Uint8Array([1, 2]));
  });

  test("content may be written twice, and empty content once", async () => {
    const blobs = open();
    const [digest, content] = sample("");
    blobs.write(digest, content);
    blobs.write(digest, content);
    expect(await read(blobs, digest)).toEqual(content);
    expect(await digests(blobs)).toEqual([digest]);
  });

  test("what lies under a digest and is not its content is replaced", async () => {
    const blobs = open();
    const [digest, content] = sample("whole");
    await Bun.write(blobs.path(digest), "who");
    blobs.write(digest, content);
    expect(await read(blobs, digest)).toEqual(content);
  });

  test("staged content appears whole at its commit, and never after an abort", async () => {
    const blobs = open();
    const [digest, content] = sample("staged in two chunks");
    const staged = blobs.stage();
    staged.write(content.subarray(0, 7));
    expect(await digests(blobs)).toEqual([]);
    staged.write(content.subarray(7));
    staged.commit(digest);
    const aborted = blobs.stage();
    aborted.write(content);
    aborted.abort();
    await blobs.sync();
    expect(await read(blobs, digest)).toEqual(content);
    expect(await digests(blobs)).toEqual([digest]);
  });

  test("an encoding lies beside the content and is no content of its own", async () => {
    const blobs = open();
    const [digest, content] = sample("encoded");
    blobs.write(digest, content);
    blobs.write(digest, new Uint8Array([1, 2]), "br");
    expect(await read(blobs, digest, "br")).toEqual(new Uint8Array([1, 2]));
    expect(await digests(blobs)).toEqual([digest]);
  });

  test("encodings whose content is gone are listed under its digest, once", async () => {
    const blobs = open();
    const [digest, content] = sample("gone");
    for (const encoding of ["gzip", "br"] as const) blobs.write(digest, content, encoding);
    expect(await digests(blobs)).toEqual([digest]);
    expect(blobs.delete(digest, Date.now() + 60_000)).toBe(true);
    expect(await digests(blobs)).toEqual([]);
  });

  test("deleted content is gone with its encodings, and missing content is no error", async () => {
    const blobs = open();
    const [digest, content] = sample("deleted");
    blobs.write(digest, content);
    blobs.write(digest, content, "br");
    expect(blobs.delete(digest, Number.POSITIVE_INFINITY)).toBe(true);
    expect([await exists(blobs, digest), await exists(blobs, digest, "br")]).toEqual([false, false]);
    expect(blobs.delete(digest, Number.POSITIVE_INFINITY)).toBe(true);
    expect(await digests(blobs)).toEqual([]);
  });

  test("content is deleted only if nobody wrote it since, also by another thread", async () => {
    const [blobs, other] = openTwice();
    const [digest, content] = sample("stray");
    const before = Date.now() - 60_000;
    blobs.write(digest, content);
    blobs.write(digest, content, "br");
    other.write(digest, content);
    expect(blobs.delete(digest, before)).toBe(false);
    expect([await read(blobs, digest), await exists(blobs, digest, "br")]).toEqual([content, true]);
  });

  test("content tells its digest and size, missing content nothing", async () => {
    const blobs = open();
    const [digest, content] = sample("hashed");
    expect(await blobs.hash(digest)).toBeNull();
    blobs.write(digest, content);
    expect(await blobs.hash(digest)).toEqual({ digest, size: content.length });
    await Bun.write(blobs.path(digest), "rotten");
    expect(await blobs.hash(digest)).toEqual({ digest: sample("rotten")[0], size: 6 });
  });

  test("what was created is undone, unless somebody else relies on it", async () => {
    const [mine, other] = openTwice();
    const [own, adopted, replaced] = ["own", "adopted", "replaced"].map(sample);
    for (const [digest, content] of [own!, adopted!, replaced!]) mine.write(digest, content);
    other.write(...adopted!);
    const staged = other.stage();
    staged.write(replaced![1]);
    staged.commit(replaced![0]);
    mine.undo();
    expect(await digests(other)).toEqual([adopted![0], replaced![0]].sort());
    expect(await read(other, adopted![0])).toEqual(adopted![1]);
    // It may have been published before it was replaced: only a sweep can tell.
    other.undo();
    expect(await digests(other)).toEqual([adopted![0], replaced![0]].sort());
  });

  test("staged content that was created is undone", async () => {
    const blobs = open();
    const [digest, content] = sample("staged and given up");
    const staged = blobs.stage();
    staged.write(content);
    staged.commit(digest);
    blobs.undo();
    expect(await digests(blobs)).toEqual([]);
  });

  test("the list tells size and time of writing", async () => {
    const blobs = open();
    const [digest, content] = sample("listed");
    blobs.write(digest, content);
    const [blob] = await Array.fromAsync(blobs.list());
    expect(blob).toMatchObject({ digest, size: content.length });
    expect(Math.abs(blob!.modifiedAt - Date.now())).toBeLessThan(60_000);
  });

  test.each([
    "../../secret",
    "/../../vitrine.db",
    "",
    "a".repeat(63),
    `${"a".repeat(64)}/../x`,
    "A".repeat(64),
    `${"a".repeat(64)}\n`,
  ])("what is no digest leads to no file, such as %j", async (digest) => {
    const blobs = open();
    const [, content] = sample("nowhere");
    const staged = blobs.stage();
    staged.write(content);
    const attempts: Record<string, () => unknown> = {
      path: () => blobs.path(digest),
      read: () => blobs.read(digest),
      readNow: () => blobs.readNow(digest, "identity", 1),
      readPart: () => blobs.readPart(digest, "identity", 0, 1),
      hash: () => blobs.hash(digest),
      write: () => blobs.write(digest, content),
      commit: () => staged.commit(digest),
      delete: () => blobs.delete(digest, Date.now()),
    };
    const told = await Promise.all(
      Object.entries(attempts).map(async ([name, attempt]) => [name, await kindOfFailure(attempt)]),
    );
    staged.abort();
    expect(told.filter(([, kind]) => kind !== "unavailable")).toEqual([]);
    expect(() => blobs.path(digest)).toThrow("the content store was asked for what is no digest");
  });

  test("whatever needs a file that cannot be had is told as unavailable, of any method by itself", async () => {
    const blobs = open();
    const { read, write, stage, undo, sync, list } = blobs;
    const { delete: remove, discardUnfinished } = blobs;
    const [digest, content] = sample("refused");
    write(digest, content);
    const staged = stage();
    staged.write(content);
    const attempts: Record<string, () => unknown> = {
      read: () => read(digest),
      write: () => write(digest, content),
      stage,
      commit: () => staged.commit(digest),
      undo,
      sync,
      list: () => Array.fromAsync(list()),
      delete: () => remove(digest, Number.POSITIVE_INFINITY),
      discardUnfinished: () => discardUnfinished(Date.now()),
    };
    const told: Record<string, string> = {};
    await whileRefused(async () => {
      for (const [name, attempt] of Object.entries(attempts)) told[name] = await kindOfFailure(attempt);
    });
    staged.abort();
    expect(told).toEqual(Object.fromEntries(Object.keys(attempts).map((name) => [name, "unavailable"])));
  });
}

async function kindOfFailure(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "done";
  } catch (error) {
    return error instanceof DomainError ? error.kind : String(error);
  }
}

/** Returns some content and its digest. */
export function sample(text: string): [digest: string, content: Uint8Array<ArrayBuffer>] {
  const content = new TextEncoder().encode(text);
  return [new Bun.CryptoHasher("sha256").update(content).digest("hex"), content];
}
