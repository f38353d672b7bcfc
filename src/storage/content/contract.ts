import { expect, test } from "bun:test";
import { DomainError } from "../../domain/errors.ts";
import type { ContentStore } from "../../domain/ports/content.ts";

/**
 * What every implementation of `ContentStore` keeps. `openTwice` makes an empty one, opened by two threads; `whileRefused` runs
 * something while no file can be had.
 */
export function contentContract(
  openTwice: () => [ContentStore, ContentStore],
  whileRefused: (action: () => Promise<void>) => Promise<void>,
): void {
  const open = () => openTwice()[0];
  const read = (content: ContentStore, digest: string, encoding?: "br") =>
    Bun.file(content.path(digest, encoding)).bytes();
  const exists = (content: ContentStore, digest: string, encoding?: "br") =>
    Bun.file(content.path(digest, encoding)).exists();
  const digests = async (content: ContentStore) =>
    (await Array.fromAsync(content.list())).map((blob) => blob.digest).sort();

  test("content is found under its digest, and survives sync", async () => {
    const content = open();
    const [digest, bytes] = sample("hello");
    content.write(digest, bytes);
    await content.sync();
    expect(await read(content, digest)).toEqual(bytes);
  });

  test("content and its encodings are read whole, and what there is not is refused", async () => {
    const content = open();
    const [digest, bytes] = sample("read");
    content.write(digest, bytes);
    content.write(digest, new Uint8Array([1, 2]), "br");
    expect(await content.read(digest)).toEqual(bytes);
    expect(await content.read(digest, "br")).toEqual(new Uint8Array([1, 2]));
    expect(content.read(digest, "gzip")).rejects.toThrow();
  });

  test("what is read at once is the content, or nothing where its size is another or there is none", async () => {
    const content = open();
    const [digest, bytes] = sample("now");
    content.write(digest, bytes);
    await content.read(digest);
    expect([null, bytes]).toContainEqual(content.readNow(digest, "identity", bytes.length));
    expect(content.readNow(digest, "identity", bytes.length - 1)).toBeNull();
    expect(content.readNow(digest, "identity", bytes.length + 1)).toBeNull();
    expect(content.readNow(digest, "gzip", bytes.length)).toBeNull();
  });

  test("a part of content is read, what there is of it where the content ends before, and what there is not is refused", async () => {
    const content = open();
    const [digest, bytes] = sample("in parts");
    content.write(digest, bytes);
    content.write(digest, new Uint8Array([1, 2, 3]), "br");
    const text = async (...part: Parameters<ContentStore["readPart"]>) => String(await content.readPart(...part));
    expect(await text(digest, "identity", 0, bytes.length)).toBe(String(bytes));
    expect(await text(digest, "identity", 3, 4)).toBe(String(bytes.subarray(3, 7)));
    expect(await text(digest, "identity", bytes.length - 2, 10)).toBe(String(bytes.subarray(-2)));
    expect(await text(digest, "identity", bytes.length, 10)).toBe("");
    expect(await text(digest, "br", 1, 1)).toBe("2");
    expect(text(digest, "gzip", 0, 1)).rejects.toThrow();
  });

  test("parts are their reader's: reading another one changes none", async () => {
    const content = open();
    const [digest] = sample("own");
    content.write(digest, new Uint8Array([1, 2, 3, 4]));
    const first = await content.readPart(digest, "identity", 0, 2);
    await content.readPart(digest, "identity", 2, 2);
    expect(first).toEqual(new Uint8Array([1, 2]));
  });

  test("content may be written twice, and empty content once", async () => {
    const content = open();
    const [digest, bytes] = sample("");
    content.write(digest, bytes);
    content.write(digest, bytes);
    expect(await read(content, digest)).toEqual(bytes);
    expect(await digests(content)).toEqual([digest]);
  });

  test("what lies under a digest and is not its content is replaced", async () => {
    const content = open();
    const [digest, bytes] = sample("whole");
    await Bun.write(content.path(digest), "who");
    content.write(digest, bytes);
    expect(await read(content, digest)).toEqual(bytes);
  });

  test("staged content appears whole at its commit, and never after an abort", async () => {
    const content = open();
    const [digest, bytes] = sample("staged in two chunks");
    const staged = content.stage();
    staged.write(bytes.subarray(0, 7));
    expect(await digests(content)).toEqual([]);
    staged.write(bytes.subarray(7));
    staged.commit(digest);
    const aborted = content.stage();
    aborted.write(bytes);
    aborted.abort();
    await content.sync();
    expect(await read(content, digest)).toEqual(bytes);
    expect(await digests(content)).toEqual([digest]);
  });

  test("an encoding lies beside the content and is no content of its own", async () => {
    const content = open();
    const [digest, bytes] = sample("encoded");
    content.write(digest, bytes);
    content.write(digest, new Uint8Array([1, 2]), "br");
    expect(await read(content, digest, "br")).toEqual(new Uint8Array([1, 2]));
    expect(await digests(content)).toEqual([digest]);
  });

  test("encodings whose content is gone are listed under its digest, once", async () => {
    const content = open();
    const [digest, bytes] = sample("gone");
    for (const encoding of ["gzip", "br"] as const) content.write(digest, bytes, encoding);
    expect(await digests(content)).toEqual([digest]);
    expect(content.delete(digest, Date.now() + 60_000)).toBe(true);
    expect(await digests(content)).toEqual([]);
  });

  test("deleted content is gone with its encodings, and missing content is no error", async () => {
    const content = open();
    const [digest, bytes] = sample("deleted");
    content.write(digest, bytes);
    content.write(digest, bytes, "br");
    expect(content.delete(digest, Number.POSITIVE_INFINITY)).toBe(true);
    expect([await exists(content, digest), await exists(content, digest, "br")]).toEqual([false, false]);
    expect(content.delete(digest, Number.POSITIVE_INFINITY)).toBe(true);
    expect(await digests(content)).toEqual([]);
  });

  test("content is deleted only if nobody wrote it since, also by another thread", async () => {
    const [content, other] = openTwice();
    const [digest, bytes] = sample("stray");
    const before = Date.now() - 60_000;
    content.write(digest, bytes);
    content.write(digest, bytes, "br");
    other.write(digest, bytes);
    expect(content.delete(digest, before)).toBe(false);
    expect([await read(content, digest), await exists(content, digest, "br")]).toEqual([bytes, true]);
  });

  test("content tells its digest and size, missing content nothing", async () => {
    const content = open();
    const [digest, bytes] = sample("hashed");
    expect(await content.hash(digest)).toBeNull();
    content.write(digest, bytes);
    expect(await content.hash(digest)).toEqual({ digest, size: bytes.length });
    await Bun.write(content.path(digest), "rotten");
    expect(await content.hash(digest)).toEqual({ digest: sample("rotten")[0], size: 6 });
  });

  test("what was created is undone, unless somebody else relies on it", async () => {
    const [mine, other] = openTwice();
    const [own, adopted, replaced] = ["own", "adopted", "replaced"].map(sample);
    for (const [digest, bytes] of [own!, adopted!, replaced!]) mine.write(digest, bytes);
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
    const content = open();
    const [digest, bytes] = sample("staged and given up");
    const staged = content.stage();
    staged.write(bytes);
    staged.commit(digest);
    content.undo();
    expect(await digests(content)).toEqual([]);
  });

  test("the list tells size and time of writing", async () => {
    const content = open();
    const [digest, bytes] = sample("listed");
    content.write(digest, bytes);
    const [blob] = await Array.fromAsync(content.list());
    expect(blob).toMatchObject({ digest, size: bytes.length });
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
    const content = open();
    const [, bytes] = sample("nowhere");
    const staged = content.stage();
    staged.write(bytes);
    const attempts: Record<string, () => unknown> = {
      path: () => content.path(digest),
      read: () => content.read(digest),
      readNow: () => content.readNow(digest, "identity", 1),
      readPart: () => content.readPart(digest, "identity", 0, 1),
      hash: () => content.hash(digest),
      write: () => content.write(digest, bytes),
      commit: () => staged.commit(digest),
      delete: () => content.delete(digest, Date.now()),
    };
    const told = await Promise.all(
      Object.entries(attempts).map(async ([name, attempt]) => [name, await kindOfFailure(attempt)]),
    );
    staged.abort();
    expect(told.filter(([, kind]) => kind !== "unavailable")).toEqual([]);
    expect(() => content.path(digest)).toThrow("the content store was asked for what is no digest");
  });

  test("whatever needs a file that cannot be had is told as unavailable, of any method by itself", async () => {
    const content = open();
    const { read, write, stage, undo, sync, list } = content;
    const { delete: remove, discardUnfinished } = content;
    const [digest, bytes] = sample("refused");
    write(digest, bytes);
    const staged = stage();
    staged.write(bytes);
    const attempts: Record<string, () => unknown> = {
      read: () => read(digest),
      write: () => write(digest, bytes),
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
export function sample(text: string): [digest: string, bytes: Uint8Array<ArrayBuffer>] {
  const bytes = new TextEncoder().encode(text);
  return [new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), bytes];
}
