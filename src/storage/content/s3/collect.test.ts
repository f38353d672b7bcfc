import { expect, test } from "bun:test";
import { DAY } from "../../../domain/timestamp.ts";
import { memoryObjects, type ObjectMemory } from "../../objects/memory.ts";
import { temporaryStore } from "../../sqlite/testing/temporary-store.ts";
import { type CollectPorts, collectObjects } from "./collect.ts";
import { openS3ContentReadOnly } from "./s3-content.ts";
import { openWriting } from "./writing.ts";

const digestOf = (bytes: Uint8Array) => Bun.CryptoHasher.hash("sha256", bytes, "hex");
const filled = (byte: number) => new Uint8Array(100).fill(byte);

async function withPack(...bytes: readonly number[]) {
  const memory: ObjectMemory = new Map();
  const objects = memoryObjects(memory);
  const { contentObjects: places } = temporaryStore();
  const ports = { objects, places, staging: "", ensureSpace: () => {}, now: () => 0 };
  const content = openWriting(ports);
  const digests = bytes.map((byte) => digestOf(filled(byte)));
  for (const [index, byte] of bytes.entries()) await content.put(digests[index]!, filled(byte));
  await content.sync();
  const collect = (now: number, changed: Partial<CollectPorts> = {}) =>
    collectObjects({ objects, places, pause: async () => {}, ...changed }, now);
  return { memory, objects, places, digests, collect, read: openS3ContentReadOnly(objects, places).read };
}

test("an object without content is deleted a day after it was found, and forgotten", async () => {
  const { memory, places, digests, collect } = await withPack(1);
  expect(await collect(10)).toEqual({ rewritten: 0, condemned: 0, deleted: 0 });
  await places.delete(digests[0]!, 99);
  expect(await collect(20)).toEqual({ rewritten: 0, condemned: 1, deleted: 0 });
  expect(await collect(20 + DAY)).toEqual({ rewritten: 0, condemned: 0, deleted: 0 });
  expect(memory.size).toBe(1);
  expect(await collect(21 + DAY)).toEqual({ rewritten: 0, condemned: 0, deleted: 1 });
  expect([memory.size, await places.listCondemned(Number.MAX_SAFE_INTEGER, 9)]).toEqual([0, []]);
});

test("an object that was noted and never stored is deleted two days later, whatever is there", async () => {
  const { memory, places, collect } = await withPack();
  await places.intend("content/lost", 0);
  memory.set("content/lost", filled(1));
  expect(await collect(DAY)).toMatchObject({ condemned: 0 });
  expect(await collect(DAY + 1)).toMatchObject({ condemned: 1, deleted: 0 });
  expect(await collect(2 * DAY + 2)).toMatchObject({ deleted: 1 });
  expect(memory.size).toBe(0);
});

test("a failed deletion is made up for by the next collection", async () => {
  const { memory, objects, places, digests, collect } = await withPack(1);
  await places.delete(digests[0]!, 99);
  await collect(0);
  const failing = async () => Promise.reject(new Error("away"));
  await expect(collect(2 * DAY, { objects: { ...objects, deleteWithLeftovers: failing } })).rejects.toThrow("away");
  expect(await collect(2 * DAY)).toMatchObject({ deleted: 1 });
  expect(memory.size).toBe(0);
});

test("a pack of which less than 40 % is used is replaced, and its content can be read all the time", async () => {
  const { memory, places, digests, collect, read } = await withPack(1, 2, 3, 4, 5);
  for (const digest of digests.slice(2)) await places.delete(digest, 99);
  expect(await collect(0)).toEqual({ rewritten: 0, condemned: 0, deleted: 0 });
  await places.delete(digests[0]!, 99);
  expect(await collect(0)).toEqual({ rewritten: 1, condemned: 1, deleted: 0 });
  expect(await read(digests[1]!)).toEqual(filled(2));
  expect(await collect(2 * DAY)).toEqual({ rewritten: 0, condemned: 0, deleted: 1 });
  expect([...memory.values()].map(({ length }) => length)).toEqual([100]);
  expect(await read(digests[1]!)).toEqual(filled(2));
});

test("damaged content of such a pack stays where it is", async () => {
  const { memory, places, digests, collect } = await withPack(1, 2, 3, 4, 5, 6);
  memory.values().next().value![0] = 9;
  for (const digest of digests.slice(2)) await places.delete(digest, 99);
  const [before] = memory.keys();
  expect(await collect(0)).toMatchObject({ rewritten: 1, condemned: 0 });
  expect((await places.contentsOf(before!)).map(({ digest }) => digest)).toEqual([digests[0]!]);
  expect(await collect(0)).toMatchObject({ rewritten: 0 });
});

test("a pack that is gone from the bucket keeps no other object from being collected", async () => {
  const { memory, places, digests, collect } = await withPack(1, 2, 3);
  for (const digest of digests.slice(1)) await places.delete(digest, 99);
  memory.clear();
  await places.intend("content/lost", 0);
  memory.set("content/lost", filled(1));
  expect(await collect(DAY + 1)).toEqual({ rewritten: 0, condemned: 1, deleted: 0 });
  expect(await collect(2 * DAY + 2)).toEqual({ rewritten: 0, condemned: 0, deleted: 1 });
  expect((await places.find([digests[0]!])).size).toBe(1);
});
