import { expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";

const digest = (letter: string) => letter.repeat(64);
const [A, B, C] = [digest("a"), digest("b"), digest("c")];

/**
 * The tests for the records of objects that contain content. `current` is the store of the running test, empty at its
 * start.
 */
export function contentObjectContract(current: () => Store, other: () => Store): void {
  const objects = () => current().contentObjects;
  const contents = (digests: readonly string[]) => digests.map((one, at) => ({ digest: one, size: 5, offset: 5 * at }));
  const filled = (name: string, digests: readonly string[]) => ({
    name,
    size: 5 * digests.length,
    contents: contents(digests),
  });
  const place = async (name: string, digests: readonly string[], { writer = "me", at = 10 } = {}) => {
    await objects().intend(name, at);
    return objects().place(filled(name, digests), writer, at);
  };
  const listed = async () =>
    (await Array.fromAsync(objects().list())).map(({ digest: one, object }) => `${one[0]} ${object}`);
  const condemned = () => objects().listCondemned(Number.MAX_SAFE_INTEGER, 9);

  test("records the location of each content of a stored object for all threads", async () => {
    expect(await place("one", [B, A])).toBe(true);
    const of = { object: "one", objectSize: 10, size: 5, writtenAt: 10 };
    expect(await other().contentObjects.find([A, C])).toEqual(new Map([[A, { ...of, digest: A, offset: 5 }]]));
    expect(await Array.fromAsync(objects().list())).toEqual([
      { ...of, digest: A, offset: 5 },
      { ...of, digest: B, offset: 0 },
    ]);
    expect(await objects().contentsOf("one")).toEqual(contents([B, A]));
    expect(await objects().contentsOf("two")).toEqual([]);
    const { contentPlaces } = other();
    expect(await contentPlaces.locate(A)).toMatchObject({
      object: "one",
      objectSize: 10,
      digest: A,
      size: 5,
      offset: 5,
    });
    expect(await contentPlaces.locate(C)).toBeNull();
    expect(await contentPlaces.contentsOf("one")).toEqual(contents([B, A]));
  });

  test("treats an object that is not stored yet as empty", async () => {
    await objects().intend("one", 10);
    expect([await listed(), await Array.fromAsync(objects().usage())]).toEqual([[], []]);
  });

  test("moves content from an earlier object to the later one, and lets nobody undo that", async () => {
    await place("one", [A, B]);
    await place("two", [A], { writer: "you", at: 20 });
    expect(await listed()).toEqual(["a two", "b one"]);
    expect((await objects().find([A])).get(A)?.writtenAt).toBe(20);
    await objects().undo("you");
    expect(await listed()).toEqual(["a two", "b one"]);
    await objects().undo("me");
    expect(await listed()).toEqual(["a two"]);
  });

  test("removes content unless it was written since", async () => {
    await place("one", [A]);
    expect(await objects().delete(A, 10)).toBe(false);
    expect(await objects().delete(A, 11)).toBe(true);
    expect(await objects().delete(A, 11)).toBe(true);
    expect(await listed()).toEqual([]);
  });

  test("condemns empty objects, and objects that were never stored once they are old", async () => {
    await place("full", [A]);
    await place("emptied", [B]);
    await objects().delete(B, 99);
    await objects().intend("running", 30);
    await objects().intend("lost", 20);
    expect(await objects().condemnEmpty(25, 50)).toBe(2);
    expect(await objects().condemnEmpty(25, 60)).toBe(0);
    expect([await objects().listCondemned(50, 9), await objects().listCondemned(51, 1)]).toEqual([[], ["emptied"]]);
    expect(await condemned()).toEqual(["emptied", "lost"]);
  });

  test("places nothing in condemned objects, and removes them after their deletion", async () => {
    await objects().intend("late", 10);
    await objects().condemnEmpty(11, 50);
    expect(await objects().place(filled("late", [A]), "me", 60)).toBe(false);
    expect([await listed(), await condemned()]).toEqual([[], ["late"]]);
    await place("kept", [A]);
    await objects().deleteObjects(["late", "kept"]);
    expect([await listed(), await condemned()]).toEqual([["a kept"], []]);
    expect([...(await objects().recorded(["late", "kept", "never"]))]).toEqual(["kept"]);
    expect(await objects().place(filled("late", [A]), "me", 60)).toBe(false);
  });

  test("copies the used part of an object, except content that has been moved since", async () => {
    await place("old", [A, B, C]);
    await objects().delete(C, 99);
    expect(await Array.fromAsync(objects().usage())).toEqual([{ name: "old", size: 15, used: 10 }]);
    await place("newer", [B], { at: 20 });
    await objects().intend("copy", 30);
    expect(await objects().move(filled("copy", [A, B]), "old")).toBe(true);
    expect(await listed()).toEqual(["a copy", "b newer"]);
    expect((await objects().find([A])).get(A)?.writtenAt).toBe(10);
    expect(await objects().condemnEmpty(0, 50)).toBe(1);
  });

  test("names the owner once, also for several who do it at the same time", async () => {
    const named = await Promise.all([objects().nameOwner("one"), other().contentObjects.nameOwner("two")]);
    expect(new Set(named).size).toBe(1);
    expect(await objects().bucket()).toEqual({ owner: named[0], url: null });
    await objects().setBucket({ owner: "three", url: "s3://bucket" });
    expect(await objects().nameOwner("four")).toBe("three");
    expect(await objects().bucket()).toEqual({ owner: "three", url: "s3://bucket" });
  });

  test("stores the bucket, and removes all objects at once", async () => {
    expect(await objects().bucket()).toBeNull();
    for (const url of ["s3://bucket", null]) {
      await objects().setBucket({ owner: "me", url });
      expect(await other().contentObjects.bucket()).toEqual({ owner: "me", url });
    }
    await place("one", [A]);
    await objects().deleteAll();
    expect([await listed(), await Array.fromAsync(objects().usage())]).toEqual([[], []]);
  });
}
