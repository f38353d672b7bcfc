import { expect, test } from "bun:test";
import { DomainError } from "../../domain/errors.ts";
import type { ContentStore } from "../../domain/ports/content.ts";

/** The contract of every `ContentStore`. `openTwice` creates an empty one with two instances, as two threads have. */
export function contentContract(openTwice: () => [ContentStore, ContentStore]): void {
  const open = () => openTwice()[0];
  const digests = async (content: ContentStore) =>
    (await Array.fromAsync(content.list())).map((blob) => blob.digest).sort();

  test("content can be read by its digest, also after sync", async () => {
    const content = open();
    const [digest, bytes] = sample("hello");
    await content.put(digest, bytes);
    await content.sync();
    expect(await content.read(digest)).toEqual(bytes);
  });

  test("large content is read whole and in parts, also beside small content", async () => {
    const content = open();
    const bytes = crypto.getRandomValues(new Uint8Array(64 * 1024));
    const large = new Uint8Array(Buffer.concat(Array(150).fill(bytes)));
    const digest = Bun.CryptoHasher.hash("sha256", large, "hex");
    const staged = await content.stage();
    for (let at = 0; at < large.length; at += 100_000) await staged.write(large.subarray(at, at + 100_000));
    await staged.commit(digest);
    await content.put(...sample("small"));
    await content.put(Bun.CryptoHasher.hash("sha256", large.subarray(1), "hex"), large.subarray(1));
    await content.sync();
    expect(Buffer.compare(await content.read(digest), large)).toBe(0);
    const span = { start: 3_000_000, end: 9_000_001 };
    expect(Buffer.compare(await content.read(digest, span), large.subarray(span.start, span.end))).toBe(0);
    expect(await content.hash(digest)).toEqual({ digest, size: large.length });
    expect(await digests(content)).toHaveLength(3);
  });

  test("a purge deletes contents that were not written since, and no other", async () => {
    const content = open();
    const [secret, shared, missing] = [sample("secret"), sample("shared"), sample("missing")];
    await content.put(...secret);
    await content.put(...shared);
    await content.sync();
    const at = (writtenBefore: number) => [secret, missing].map(([digest]) => ({ digest, writtenBefore }));
    expect(await content.purge(at(Date.now() - 60_000))).toEqual([missing[0]]);
    expect(await digests(content)).toEqual([secret[0], shared[0]].sort());
    expect(await content.purge(at(Date.now() + 60_000))).toEqual([secret[0], missing[0]]);
    expect(await digests(content)).toEqual([shared[0]]);
    expect(await content.read(shared[0])).toEqual(shared[1]);
    await content.put(...secret);
    await content.sync();
    expect(await content.read(secret[0])).toEqual(secret[1]);
  });

  test("missing content is refused", async () => {
    await expect(open().read(sample("missing")[0])).rejects.toThrow();
  });

  test("a range of content is read as far as the content goes, and missing content is refused", async () => {
    const content = open();
    const [digest, bytes] = sample("in parts");
    await content.put(digest, bytes);
    await content.sync();
    const span = async (start: number, end: number) => String(await content.read(digest, { start, end }));
    expect(await span(0, bytes.length)).toBe(String(bytes));
    expect(await span(3, 7)).toBe(String(bytes.subarray(3, 7)));
    expect(await span(bytes.length - 2, bytes.length + 8)).toBe(String(bytes.subarray(-2)));
    expect(await span(bytes.length, bytes.length + 10)).toBe("");
    await expect(content.read(sample("missing")[0], { start: 0, end: 1 })).rejects.toThrow();
  });

  test("opened content is sent in whole or in part", async () => {
    const content = open();
    const [digest, bytes] = sample("to be sent");
    await content.put(digest, bytes);
    await content.sync();
    expect(await new Response(await content.open(digest)).bytes()).toEqual(bytes);
    expect(await new Response((await content.open(digest))?.slice(3, 7)).bytes()).toEqual(bytes.slice(3, 7));
    const missing = content.open(sample("missing")[0]);
    await expect(missing.then((blob) => blob?.bytes())).rejects.toThrow();
  });

  test("a buffer that was read is not changed by later reads", async () => {
    const content = open();
    const [digest, bytes] = sample("\x01\x02\x03\x04");
    await content.put(digest, bytes.slice());
    await content.sync();
    const first = await content.read(digest, { start: 0, end: 2 });
    first[1] = 9;
    await content.read(digest, { start: 2, end: 4 });
    expect(first).toEqual(new Uint8Array([1, 9]));
    const whole = await content.read(digest);
    whole.fill(7);
    expect(await content.read(digest)).toEqual(bytes);
  });

  test("content may be written twice, and empty content once", async () => {
    const content = open();
    const [digest, bytes] = sample("");
    await content.put(digest, bytes);
    await content.put(digest, bytes);
    await content.sync();
    expect(await content.read(digest)).toEqual(bytes);
    expect(await digests(content)).toEqual([digest]);
  });

  test("staged content appears completely at its commit, and never after an abort", async () => {
    const content = open();
    const [digest, bytes] = sample("staged in two chunks");
    const staged = await content.stage();
    await staged.write(bytes.subarray(0, 7));
    expect(await digests(content)).toEqual([]);
    await staged.write(bytes.subarray(7));
    await staged.commit(digest);
    const aborted = await content.stage();
    await aborted.write(bytes);
    await aborted.abort();
    await content.sync();
    expect(await content.read(digest)).toEqual(bytes);
    expect(await digests(content)).toEqual([digest]);
  });

  test("deleted content is missing, and deleting missing content is no error", async () => {
    const content = open();
    const [digest, bytes] = sample("deleted");
    await content.put(digest, bytes);
    await content.sync();
    expect(await content.delete(digest, Number.POSITIVE_INFINITY)).toBe(true);
    expect(await content.stat(digest)).toBeNull();
    expect(await content.delete(digest, Number.POSITIVE_INFINITY)).toBe(true);
    expect(await digests(content)).toEqual([]);
  });

  test("content is deleted only if nobody has written it since, including other threads", async () => {
    const [content, other] = openTwice();
    const [digest, bytes] = sample("stray");
    const before = Date.now() - 60_000;
    await content.put(digest, bytes);
    await other.put(digest, bytes);
    await content.sync();
    await other.sync();
    expect(await content.delete(digest, before)).toBe(false);
    expect(await content.read(digest)).toEqual(bytes);
  });

  test("content has a digest and a size, missing content has none", async () => {
    const content = open();
    const [digest, bytes] = sample("hashed");
    expect(await content.hash(digest)).toBeNull();
    await content.put(digest, bytes);
    await content.sync();
    expect(await content.hash(digest)).toEqual({ digest, size: bytes.length });
  });

  test("created content is removed by undo, unless somebody else uses it", async () => {
    const [mine, other] = openTwice();
    const [own, adopted, replaced] = ["own", "adopted", "replaced"].map(sample);
    for (const [digest, bytes] of [own!, adopted!, replaced!]) await mine.put(digest, bytes);
    await mine.sync();
    await other.put(...adopted!);
    const staged = await other.stage();
    await staged.write(replaced![1]);
    await staged.commit(replaced![0]);
    await other.sync();
    await mine.undo();
    expect(await digests(other)).toEqual([adopted![0], replaced![0]].sort());
    expect(await other.read(adopted![0])).toEqual(adopted![1]);
    // It may have been published before it was replaced, which only a sweep can find out.
    await other.undo();
    expect(await digests(other)).toEqual([adopted![0], replaced![0]].sort());
  });

  test("staged content that was created is removed by undo", async () => {
    const content = open();
    const [digest, bytes] = sample("staged and given up");
    const staged = await content.stage();
    await staged.write(bytes);
    await staged.commit(digest);
    await content.undo();
    expect(await digests(content)).toEqual([]);
  });

  test("existing content has a size and a time of writing, missing content has none", async () => {
    const content = open();
    const [digest, bytes] = sample("failing");
    expect(await content.stat(digest)).toBeNull();
    await content.put(digest, bytes);
    await content.sync();
    const { size, modifiedAt } = (await content.stat(digest))!;
    expect(size).toBe(bytes.length);
    expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(60_000);
  });

  test("the list has sizes and times of writing", async () => {
    const content = open();
    const [digest, bytes] = sample("listed");
    await content.put(digest, bytes);
    await content.sync();
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
  ])("an invalid digest such as %j does not become a path", async (digest) => {
    const content = open();
    const [, bytes] = sample("nowhere");
    const staged = await content.stage();
    await staged.write(bytes);
    const attempts: Record<string, () => unknown> = {
      read: () => content.read(digest),
      open: () => content.open(digest),
      stat: () => content.stat(digest),
      hash: () => content.hash(digest),
      put: () => content.put(digest, bytes),
      commit: () => staged.commit(digest),
      delete: () => content.delete(digest, Date.now()),
    };
    const failures = await Promise.all(
      Object.entries(attempts).map(async ([name, attempt]) => [name, await kindOfFailure(attempt)]),
    );
    await staged.abort();
    expect(failures.filter(([, kind]) => kind !== "unavailable")).toEqual([]);
    await expect(content.read(digest)).rejects.toThrow("the database names content by an invalid digest");
  });
}

export async function kindOfFailure(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "done";
  } catch (error) {
    return error instanceof DomainError ? error.kind : String(error);
  }
}

/** Returns sample content and its digest. */
export function sample(text: string): [digest: string, bytes: Uint8Array<ArrayBuffer>] {
  const bytes = new TextEncoder().encode(text);
  return [new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), bytes];
}
