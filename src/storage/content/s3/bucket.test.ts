import { expect, test } from "bun:test";
import { DomainError } from "../../../domain/errors.ts";
import { memoryObjects } from "../../objects/memory.ts";
import { temporaryStore } from "../../sqlite/testing/temporary-store.ts";
import { bucketProblem, misplacedContent, takeBucket } from "./bucket.ts";

const newPlaces = () => temporaryStore().contentObjects;
const away = async () => {
  throw new DomainError("unavailable", "no response in time");
};

test("a bucket is taken once, and belongs to the store that took it", async () => {
  const [objects, places, other] = [memoryObjects(), newPlaces(), newPlaces()];
  for (const _ of ["first", "again"]) expect(await takeBucket(objects, places)).toEqual({ away: null });
  expect((await places.bucket())?.url).toBe("memory");
  const refusal = "memory is used by another Vitrine: give each one a bucket or a prefix of its own";
  await expect(takeBucket(objects, other)).rejects.toThrow(refusal);
  expect([await bucketProblem(objects, other), await bucketProblem(objects, places)]).toEqual([refusal, null]);
  expect(await other.bucket()).toBeNull();
  await places.setBucket({ owner: (await places.bucket())!.owner, url: null });
  expect(await takeBucket(objects, places)).toEqual({ away: null });
});

test("a bucket that lacks the content that should be in it is refused", async () => {
  const [objects, places] = [memoryObjects(), newPlaces()];
  await takeBucket(objects, places);
  await places.intend("content/a", 0);
  await places.place({ name: "content/a", size: 1, contents: [{ digest: "a", size: 1, offset: 0 }] }, "me", 0);
  await expect(takeBucket(memoryObjects(), places)).rejects.toThrow("memory has nothing of the content");
  expect(await takeBucket(objects, places)).toEqual({ away: null });
});

test("a mark that cannot be read is another's", async () => {
  const objects = memoryObjects(new Map([["vitrine-content.json", new TextEncoder().encode("?")]]));
  await expect(takeBucket(objects, newPlaces())).rejects.toThrow("is used by another Vitrine");
});

test("a bucket that cannot be reached stops the first start alone", async () => {
  const [objects, places] = [memoryObjects(), newPlaces()];
  await expect(takeBucket({ ...objects, read: away }, places)).rejects.toThrow("no response in time");
  await takeBucket(objects, places);
  expect(await takeBucket({ ...objects, read: away }, places)).toEqual({ away: "no response in time" });
  expect(await bucketProblem({ ...objects, read: away }, places)).toBe("no response in time");
});

test.each<[string | null, boolean, string | null, string | null]>([
  [null, true, null, null],
  [null, false, "s3://b", null],
  [null, true, "s3://b", "move --to-content 's3://b'"],
  ["s3://a", true, null, "is in s3://a"],
  ["s3://a", true, "s3://b", null],
])("content in %s (some: %s) with the setting %s: %s", (url, hasContent, wanted, said) => {
  const found = misplacedContent({ owner: "me", url }, hasContent, wanted);
  expect(found === null ? null : found.includes(said ?? "?")).toBe(said === null ? null : true);
});
