import type { ContentObjectStore, FilledObject } from "../../domain/ports/store/content-objects.ts";
import { by, type ContentObjectRow, type LocatedRow, type Memory } from "./tables.ts";

export function contentObjectStore(memory: Memory): ContentObjectStore {
  const { contentObjects: objects, contentLocations: locations, contentBucket } = memory;
  const located = ({ writer: _, ...row }: LocatedRow) => ({
    ...row,
    objectSize: objects.find({ name: row.object })?.size ?? 0,
  });
  const filled = ({ name, size }: FilledObject, change: () => void) =>
    memory.write(() => {
      const isKnown = objects.update({ name, condemnedAt: null }, { size }).length > 0;
      if (isKnown) change();
      return isKnown;
    });
  const isEmpty = ({ name }: ContentObjectRow) => locations.find({ object: name }) === undefined;
  return {
    async intend(name, at) {
      objects.add({ name, size: null, intendedAt: at, condemnedAt: null });
    },

    place: async (object, writer, at) =>
      filled(object, () => {
        for (const { digest, size, offset } of object.contents) {
          const place = { object: object.name, offset, writtenAt: at };
          if (locations.update({ digest }, { ...place, writer: null }).length > 0) continue;
          locations.add({ digest, size, ...place, writer });
        }
      }),

    move: async (object, from) =>
      filled(object, () => {
        for (const { digest, offset } of object.contents)
          locations.update({ digest, object: from }, { object: object.name, offset });
      }),

    async find(digests) {
      const found = locations.filter(({ digest }) => digests.includes(digest));
      return new Map(found.map((row) => [row.digest, located(row)]));
    },

    async contentsOf(object) {
      const rows = locations.filter({ object }).sort(by(({ offset }) => offset));
      return rows.map(({ digest, size, offset }) => ({ digest, size, offset }));
    },

    async *list() {
      yield* [...locations.rows].sort(by(({ digest }) => digest)).map(located);
    },

    async remove(digest, writtenBefore) {
      locations.remove((row) => row.digest === digest && row.writtenAt < writtenBefore);
      return locations.find({ digest }) === undefined;
    },

    async undo(writer) {
      locations.remove({ writer });
    },

    async *usage() {
      for (const { name, size } of objects.filter({ condemnedAt: null })) {
        if (size === null) continue;
        const used = locations.filter({ object: name }).reduce((sum, content) => sum + content.size, 0);
        yield { name, size, used };
      }
    },

    async condemnEmpty(intendedBefore, at) {
      const isOver = (row: ContentObjectRow) => row.size !== null || row.intendedAt < intendedBefore;
      return objects.update((row) => row.condemnedAt === null && isOver(row) && isEmpty(row), { condemnedAt: at })
        .length;
    },

    async listCondemned(before, limit) {
      const old = objects.filter(({ condemnedAt }) => (condemnedAt ?? before) < before);
      return old.slice(0, limit).map(({ name }) => name);
    },

    async forget(names) {
      objects.remove(({ name, condemnedAt }) => condemnedAt !== null && names.includes(name));
    },

    bucket: async () => contentBucket.find({}) ?? null,

    async setBucket(bucket) {
      contentBucket.remove({});
      contentBucket.add(bucket);
    },

    async forgetAll() {
      locations.remove({});
      objects.remove({});
    },
  };
}
