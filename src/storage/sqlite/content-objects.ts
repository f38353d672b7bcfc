import type { Database } from "bun:sqlite";
import type {
  ContentBucket,
  ContentLocation,
  ContentObjectStore,
  FilledObject,
  PlacedContent,
} from "../../domain/ports/store/content-objects.ts";
import type { Connection } from "./connection.ts";

const LOCATION = `digest, content_locations.size AS size, offset, name AS object, content_objects.size AS objectSize,
  written_at AS writtenAt FROM content_locations JOIN content_objects ON content_objects.id = object_id`;

/** Rows read at once. */
const PAGE = 1000;

interface Usage {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly used: number;
}

type Locating = "intend" | "place" | "move" | "find" | "contentsOf" | "list" | "delete" | "undo";

export function contentObjectStore(connection: Connection): ContentObjectStore {
  const statements = prepareStatements(connection.raw);
  return { ...contentLocations(connection, statements), ...contentBucket(connection, statements) };
}

// --- internal ---

type Statements = ReturnType<typeof prepareStatements>;

/** The part of the store that is about where content is. */
function contentLocations(
  { write, writeRelaxed }: Connection,
  { intend, fill, place, move, find, contentsOf, page, remove, isPlaced, undo }: Statements,
): Pick<ContentObjectStore, Locating> {
  const filled = (object: FilledObject, change: (objectId: number) => void) =>
    write(() => {
      const objectId = fill.get(object.size, object.name)?.id;
      if (objectId === undefined) return false;
      change(objectId);
      return true;
    });
  return {
    async intend(name, at) {
      await write(() => intend.run(name, at));
    },

    place(object, writer, at) {
      const contents = JSON.stringify(object.contents.map(({ digest, size, offset }) => [digest, size, offset]));
      return filled(object, (objectId) => place.run({ objectId, writer, at, contents }));
    },

    move(object, from) {
      return filled(object, (objectId) => {
        for (const { digest, offset } of object.contents) move.run(objectId, offset, digest, from);
      });
    },

    async find(digests) {
      return new Map(find.all(JSON.stringify(digests)).map((location) => [location.digest, location]));
    },

    async contentsOf(object) {
      return contentsOf.all(object);
    },

    async *list() {
      for (let rows = page.all(""); rows.length > 0; rows = page.all(rows.at(-1)!.digest)) yield* rows;
    },

    delete: (digest, writtenBefore) =>
      writeRelaxed(() => {
        remove.run(digest, writtenBefore);
        return isPlaced.get(digest) === null;
      }),

    async undo(writer) {
      await writeRelaxed(() => undo.run(writer));
    },
  };
}

/** The part of the store that is about the objects themselves, and their bucket. */
function contentBucket(
  { raw, write }: Connection,
  { usage, condemn, condemned, forget, bucket, setBucket }: Statements,
): Omit<ContentObjectStore, Locating> {
  return {
    async *usage() {
      for (let rows = usage.all(0); rows.length > 0; rows = usage.all(rows.at(-1)!.id)) {
        for (const { name, size, used } of rows) yield { name, size, used };
      }
    },

    condemnEmpty: async (intendedBefore, at) => (await write(() => condemn.run(at, intendedBefore))).changes,

    async listCondemned(before, limit) {
      return condemned.all(before, limit).map(({ name }) => name);
    },

    async deleteObjects(names) {
      await write(() => forget.run(JSON.stringify(names)));
    },

    async bucket() {
      return bucket.get();
    },

    async setBucket({ owner, address }) {
      await write(() => setBucket.run(owner, address));
    },

    nameOwner: (name) =>
      write(() => {
        const named = bucket.get()?.owner;
        if (named === undefined) setBucket.run(name, null);
        return named ?? name;
      }),

    async deleteAll() {
      await write(() => {
        raw.run("DELETE FROM content_locations");
        raw.run("DELETE FROM content_objects");
      });
    },
  };
}

function prepareStatements(raw: Database) {
  return {
    intend: raw.prepare<void, [string, number]>("INSERT INTO content_objects (name, intended_at) VALUES (?, ?)"),
    fill: raw.prepare<{ id: number }, [number, string]>(
      "UPDATE content_objects SET size = ? WHERE name = ? AND condemned_at IS NULL RETURNING id",
    ),
    place: raw.prepare<void, { objectId: number; writer: string; at: number; contents: string }>(
      `INSERT INTO content_locations (digest, size, object_id, offset, written_at, writer)
     SELECT value ->> 0, value ->> 1, $objectId, value ->> 2, $at, $writer FROM json_each($contents) WHERE true
     ON CONFLICT (digest) DO UPDATE SET object_id = excluded.object_id, offset = excluded.offset,
       written_at = excluded.written_at, writer = NULL`,
    ),
    move: raw.prepare<void, [number, number, string, string]>(
      `UPDATE content_locations SET object_id = ?, offset = ?
     WHERE digest = ? AND object_id = (SELECT id FROM content_objects WHERE name = ?)`,
    ),
    find: raw.prepare<ContentLocation, [string]>(`SELECT ${LOCATION} WHERE digest IN (SELECT value FROM json_each(?))`),
    contentsOf: raw.prepare<PlacedContent, [string]>(
      `SELECT digest, size, offset FROM content_locations
     WHERE object_id = (SELECT id FROM content_objects WHERE name = ?) ORDER BY offset, digest`,
    ),
    page: raw.prepare<ContentLocation, [string]>(`SELECT ${LOCATION} WHERE digest > ? ORDER BY digest LIMIT ${PAGE}`),
    remove: raw.prepare<void, [string, number]>("DELETE FROM content_locations WHERE digest = ? AND written_at < ?"),
    isPlaced: raw.prepare<unknown, [string]>("SELECT 1 FROM content_locations WHERE digest = ?"),
    undo: raw.prepare<void, [string]>("DELETE FROM content_locations WHERE writer = ?"),
    usage: raw.prepare<Usage, [number]>(
      `SELECT id, name, size,
       (SELECT coalesce(sum(size), 0) FROM content_locations WHERE object_id = content_objects.id) AS used
     FROM content_objects WHERE id > ? AND size IS NOT NULL AND condemned_at IS NULL ORDER BY id LIMIT ${PAGE}`,
    ),
    condemn: raw.prepare<void, [number, number]>(
      `UPDATE content_objects SET condemned_at = ? WHERE condemned_at IS NULL AND (size IS NOT NULL OR intended_at < ?)
     AND NOT EXISTS (SELECT 1 FROM content_locations WHERE object_id = content_objects.id)`,
    ),
    condemned: raw.prepare<{ name: string }, [number, number]>(
      "SELECT name FROM content_objects WHERE condemned_at < ? ORDER BY id LIMIT ?",
    ),
    forget: raw.prepare<void, [string]>(
      "DELETE FROM content_objects WHERE condemned_at IS NOT NULL AND name IN (SELECT value FROM json_each(?))",
    ),
    bucket: raw.prepare<ContentBucket, []>("SELECT owner, address FROM content_bucket"),
    setBucket: raw.prepare<void, [string, string | null]>(
      `INSERT INTO content_bucket (id, owner, address) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, address = excluded.address`,
    ),
  };
}
