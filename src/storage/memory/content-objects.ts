import type {
  ContentLocation,
  ContentObjectStore,
  FilledObject,
  PlacedContent,
} from "../../domain/ports/store/content-objects.ts";
import { by, type ContentObjectRow, type LocatedRow, type Memory } from "./tables.ts";

export function contentObjectStore(memory: Memory): ContentObjectStore {
  const { contentObjects: objects, contentLocations: locations, contentBucket } = memory;
  return {
    async intend(name, at) {
      objects.add({ name, size: null, intendedAt: at, condemnedAt: null });
    },

    place: (object, writer, at) => placeContents(memory, object, writer, at),

    move: (object, from) => moveContents(memory, object, from),

    find: (digests) => findLocations(memory, digests),
    contentsOf: (object) => contentsOf(memory, object),

    async *list() {
      yield* [...locations.rows].sort(by(({ digest }) => digest)).map((row) => located(memory, row));
    },

    async delete(digest, writtenBefore) {
      locations.remove((row) => row.digest === digest && row.writtenAt < writtenBefore);
      return locations.find({ digest }) === undefined;
    },

    async undo(writer) {
      locations.remove({ writer });
    },

    usage: () => usage(memory),

    condemnEmpty: (intendedBefore, at) => condemnEmpty(memory, intendedBefore, at),

    async listCondemned(before, limit) {
      const old = objects.filter(({ condemnedAt }) => (condemnedAt ?? before) < before);
      return old.slice(0, limit).map(({ name }) => name);
    },

    async deleteObjects(names) {
      objects.remove(({ name, condemnedAt }) => condemnedAt !== null && names.includes(name));
    },

    bucket: async () => contentBucket.find({}) ?? null,

    async setBucket(bucket) {
      contentBucket.remove({});
      contentBucket.add(bucket);
    },

    async nameOwner(name) {
      const named = contentBucket.find({}) ?? contentBucket.add({ owner: name, address: null });
      return named.owner;
    },

    async deleteAll() {
      locations.remove({});
      objects.remove({});
    },
  };
}

// --- internal ---

async function placeContents(memory: Memory, object: FilledObject, writer: string, at: number): Promise<boolean> {
  const { contentLocations: locations } = memory;
  return filled(memory, object, () => {
    for (const { digest, size, offset } of object.contents) {
      const place = { object: object.name, offset, writtenAt: at };
      if (locations.update({ digest }, { ...place, writer: null }).length > 0) continue;
      locations.add({ digest, size, ...place, writer });
    }
  });
}

async function moveContents(memory: Memory, object: FilledObject, from: string): Promise<boolean> {
  const { contentLocations: locations } = memory;
  return filled(memory, object, () => {
    for (const { digest, offset } of object.contents)
      locations.update({ digest, object: from }, { object: object.name, offset });
  });
}

async function findLocations(
  memory: Memory,
  digests: readonly string[],
): Promise<ReadonlyMap<string, ContentLocation>> {
  const found = memory.contentLocations.filter(({ digest }) => digests.includes(digest));
  return new Map(found.map((row) => [row.digest, located(memory, row)]));
}

async function contentsOf({ contentLocations }: Memory, object: string): Promise<readonly PlacedContent[]> {
  const rows = contentLocations.filter({ object }).sort(by(({ offset }) => offset));
  return rows.map(({ digest, size, offset }) => ({ digest, size, offset }));
}

async function* usage({
  contentObjects: objects,
  contentLocations: locations,
}: Memory): AsyncIterable<{ readonly name: string; readonly size: number; readonly used: number }> {
  for (const { name, size } of objects.filter({ condemnedAt: null })) {
    if (size === null) continue;
    const used = locations.filter({ object: name }).reduce((sum, content) => sum + content.size, 0);
    yield { name, size, used };
  }
}

async function condemnEmpty(memory: Memory, intendedBefore: number, at: number): Promise<number> {
  const { contentObjects: objects } = memory;
  const isOver = (row: ContentObjectRow) => row.size !== null || row.intendedAt < intendedBefore;
  return objects.update((row) => row.condemnedAt === null && isOver(row) && isEmpty(memory, row), {
    condemnedAt: at,
  }).length;
}

function located({ contentObjects }: Memory, { writer: _, ...row }: LocatedRow) {
  return { ...row, objectSize: contentObjects.find({ name: row.object })?.size ?? 0 };
}

function filled(memory: Memory, { name, size }: FilledObject, change: () => void): boolean {
  return memory.write(() => {
    const isKnown = memory.contentObjects.update({ name, condemnedAt: null }, { size }).length > 0;
    if (isKnown) change();
    return isKnown;
  });
}

function isEmpty({ contentLocations }: Memory, { name }: ContentObjectRow): boolean {
  return contentLocations.find({ object: name }) === undefined;
}
