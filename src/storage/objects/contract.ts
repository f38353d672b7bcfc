import { expect, test } from "bun:test";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { chunksOf, joined } from "../disk/chunks.ts";

/** The smallest part in S3. A larger object is written in several. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The contract of `ObjectStore`. `open` returns an empty, prepared one. */
export function objectContract(open: () => Promise<ObjectStore>): void {
  const names = async (store: ObjectStore, prefix: string) =>
    (await Array.fromAsync(store.list(prefix))).map(({ name, size }) => `${name} ${size}`).sort();
  const read = async (store: ObjectStore, name: string, span?: { start: number; end: number }) => {
    const chunks = await store.read(name, span);
    return chunks && joined(chunks);
  };

  test("an object is read as it was written, also if it is empty, and can be replaced", async () => {
    const store = await open();
    await store.write("a/one", of("first"));
    await store.write("a/one", of("sec", "ond"));
    await store.write("a/empty", of());
    await store.sync();
    expect((await read(store, "a/one"))?.toString()).toBe("second");
    expect((await read(store, "a/empty"))?.length).toBe(0);
    expect(await read(store, "a/none")).toBeNull();
    expect(await read(store, "a")).toBeNull();
  });

  test("objects are listed by prefix with their sizes", async () => {
    const store = await open();
    for (const name of ["a/b/one", "a/b/two", "a/c/three", "d/x'y!(z)*"]) await store.write(name, of(name));
    expect(await names(store, "a/")).toEqual(["a/b/one 7", "a/b/two 7", "a/c/three 9"]);
    expect(await names(store, "a/b/t")).toEqual(["a/b/two 7"]);
    expect(await names(store, "d/")).toEqual(["d/x'y!(z)* 10"]);
    expect(await names(store, "e/")).toEqual([]);
  });

  test("an object is removed, and removing a missing one is no error", async () => {
    const store = await open();
    await store.write("a/one", of("1"));
    await store.write("a/two", of("2"));
    await store.write("a/three", of("3"));
    await store.delete("a/one");
    await store.delete("a/one");
    await store.deleteWithLeftovers("a/three");
    await store.deleteWithLeftovers("a/three");
    expect(await names(store, "a/")).toEqual(["a/two 1"]);
  });

  test("a range is read as far as the object goes", async () => {
    const store = await open();
    await store.write("digits", of("0123456789"));
    const span = async (start: number, end: number) => (await read(store, "digits", { start, end }))?.toString();
    expect(await span(0, 4)).toBe("0123");
    expect(await span(8, 20)).toBe("89");
    expect(await span(10, 20)).toBe("");
    expect(await span(3, 3)).toBe("");
  });

  test("an object of several parts is read completely, and across parts", async () => {
    const store = await open();
    const bytes = Buffer.alloc(2 * PART_BYTES + 3);
    for (let at = 0; at < bytes.length; at += 4096) bytes.writeUInt32LE(at, Math.min(at, bytes.length - 4));
    const pieces = [bytes.subarray(0, 1000), bytes.subarray(1000, PART_BYTES + 7), bytes.subarray(PART_BYTES + 7)];
    await store.write("large", chunksOf(pieces));
    await store.write("exact", chunksOf([bytes.subarray(0, PART_BYTES)]));
    expect((await read(store, "large"))?.equals(bytes)).toBe(true);
    const span = { start: PART_BYTES - 5, end: 2 * PART_BYTES + 1 };
    expect((await read(store, "large", span))?.equals(bytes.subarray(span.start, span.end))).toBe(true);
    expect((await read(store, "exact"))?.length).toBe(PART_BYTES);
  });

  test.each([
    ["a small", 10],
    ["a large", PART_BYTES + 10],
  ])("of %s object whose chunks throw, nothing is stored", async (_, size) => {
    const store = await open();
    await store.write("kept", of("former"));
    const refusal = new Error("damaged");
    const failing = async function* () {
      yield Buffer.alloc(size);
      throw refusal;
    };
    await expect(store.write("kept", failing())).rejects.toBe(refusal);
    await expect(store.write("new", failing())).rejects.toBe(refusal);
    expect((await read(store, "kept"))?.toString()).toBe("former");
    expect(await names(store, "")).toEqual(["kept 6"]);
  });
}

function of(...texts: string[]): AsyncIterable<Uint8Array> {
  return chunksOf(texts.map((text) => Buffer.from(text)));
}
