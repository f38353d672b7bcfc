import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { ContentObjectStore, FilledObject } from "../../domain/ports/store/content-objects.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { list } from "./locks.ts";
import { countRows, first } from "./rows.ts";
import { contentBucket, contentLocations as locations, contentObjects as objects } from "./schema.ts";

/** Rows read at once. */
const PAGE = 1000;

export function contentObjectStore({ read, write, writeRelaxed }: Connection): ContentObjectStore {
  const filled = (object: FilledObject, change: (tx: Drizzle, objectId: number) => Promise<unknown>) =>
    write(async (tx) => {
      const objectId = await fill(tx, object);
      if (objectId === null) return false;
      await change(tx, objectId);
      return true;
    });

  return {
    async intend(name, intendedAt) {
      await write((tx) => tx.insert(objects).values({ name, intendedAt }));
    },

    place: (object, writer, at) => filled(object, (tx, objectId) => place(tx, object, { objectId, writer, at })),

    move: (object, from) => filled(object, (tx, objectId) => move(tx, object, objectId, from)),

    async find(digests) {
      const requested = sql`${locations.digest} = ANY(${list(digests, "text")})`;
      const rows = await read((db) => selectLocations(db).where(requested));
      return new Map(rows.map((location) => [location.digest, location]));
    },

    async contentsOf(object) {
      const { digest, size, offset } = locations;
      return read((db) =>
        db
          .select({ digest, size, offset })
          .from(locations)
          .innerJoin(objects, eq(objects.id, locations.objectId))
          .where(eq(objects.name, object))
          .orderBy(asc(offset), asc(digest)),
      );
    },

    async *list() {
      for (let after = ""; ; ) {
        const page = await read((db) => {
          const rows = selectLocations(db).where(gt(locations.digest, after));
          return rows.orderBy(asc(locations.digest)).limit(PAGE);
        });
        yield* page;
        const last = page.at(-1);
        if (!last) return;
        after = last.digest;
      }
    },

    remove: (digest, writtenBefore) =>
      writeRelaxed(async (tx) => {
        const own = eq(locations.digest, digest);
        await tx.delete(locations).where(and(own, lt(locations.writtenAt, writtenBefore)));
        return (await first(tx.select({ digest: locations.digest }).from(locations).where(own))) === null;
      }),

    async undo(writer) {
      await writeRelaxed((tx) => tx.delete(locations).where(eq(locations.writer, writer)));
    },

    async *usage() {
      for (let after = 0; ; ) {
        const page = await read((db) => selectUsage(db, after));
        for (const { name, size, used } of page) yield { name, size: size ?? 0, used };
        const last = page.at(-1);
        if (!last) return;
        after = last.id;
      }
    },

    condemnEmpty: (intendedBefore, at) => write((tx) => condemn(tx, intendedBefore, at)),

    async listCondemned(before, limit) {
      const old = lt(objects.condemnedAt, before);
      const rows = await read((db) =>
        db.select({ name: objects.name }).from(objects).where(old).orderBy(asc(objects.id)).limit(limit),
      );
      return rows.map(({ name }) => name);
    },

    async forget(names) {
      const condemned = and(isNotNull(objects.condemnedAt), sql`${objects.name} = ANY(${list(names, "text")})`);
      await write((tx) => tx.delete(objects).where(condemned));
    },

    async bucket() {
      const { owner, address } = contentBucket;
      return read((db) => first(db.select({ owner, address }).from(contentBucket)));
    },

    async setBucket({ owner, address }) {
      const set = { owner, address };
      const changed = { target: contentBucket.id, set };
      await write((tx) =>
        tx
          .insert(contentBucket)
          .values({ id: 1, ...set })
          .onConflictDoUpdate(changed),
      );
    },

    async nameOwner(name) {
      const { owner } = contentBucket;
      const row = { id: 1, owner: name, address: null };
      // Without a change, the statement would not return the row of another node.
      const unchanged = { target: contentBucket.id, set: { owner: sql`${contentBucket}.owner` } };
      const named = await write((tx) =>
        first(tx.insert(contentBucket).values(row).onConflictDoUpdate(unchanged).returning({ owner })),
      );
      return named!.owner;
    },

    async forgetAll() {
      await write(async (tx) => {
        await tx.delete(locations);
        await tx.delete(objects);
      });
    },
  };
}

// --- internal ---

/** Says that an object is stored, and keeps it from being condemned until the transaction ends; null where it is. */
async function fill(tx: Drizzle, { name, size }: FilledObject): Promise<number | null> {
  const kept = and(eq(objects.name, name), isNull(objects.condemnedAt));
  const row = await first(tx.update(objects).set({ size }).where(kept).returning({ id: objects.id }));
  return row?.id ?? null;
}

interface Placing {
  readonly objectId: number;
  readonly writer: string;
  readonly at: number;
}

/** In the order of the digests, so that two who place the same content wait for each other and do not block. */
async function place(tx: Drizzle, { contents }: FilledObject, { objectId, writer, at }: Placing): Promise<void> {
  await tx.execute(sql`
    INSERT INTO content_locations (digest, size, object_id, "offset", written_at, writer)
    SELECT digest, size, ${objectId}::bigint, "offset", ${at}::bigint, ${writer} FROM ${rowsFrom(contents)} ORDER BY digest
    ON CONFLICT (digest) DO UPDATE SET object_id = excluded.object_id, "offset" = excluded."offset",
      written_at = excluded.written_at, writer = NULL`);
}

async function move(tx: Drizzle, { contents }: FilledObject, objectId: number, from: string): Promise<void> {
  await tx.execute(sql`
    UPDATE content_locations SET object_id = ${objectId}, "offset" = moved."offset" FROM ${rowsFrom(contents)}
    WHERE content_locations.digest = moved.digest
      AND content_locations.object_id = (SELECT id FROM content_objects WHERE name = ${from})`);
}

function rowsFrom(contents: FilledObject["contents"]): SQL {
  const digests = contents.map(({ digest }) => digest);
  const sizes = contents.map(({ size }) => size);
  const offsets = contents.map(({ offset }) => offset);
  return sql`unnest(${list(digests, "text")}, ${list(sizes, "bigint")}, ${list(offsets, "bigint")})
    AS moved (digest, size, "offset")`;
}

function selectLocations(db: Drizzle) {
  const { digest, size, offset, writtenAt } = locations;
  const objectSize = sql<number>`coalesce(${objects.size}, 0)`.mapWith(Number);
  return db
    .select({ digest, size, offset, object: objects.name, objectSize, writtenAt })
    .from(locations)
    .innerJoin(objects, eq(objects.id, locations.objectId));
}

function selectUsage(db: Drizzle, after: number) {
  const { id, name, size, condemnedAt } = objects;
  const lying = sql`SELECT coalesce(sum(${locations.size}), 0) FROM ${locations} WHERE ${locations.objectId} = ${id}`;
  return db
    .select({ id, name, size, used: sql<number>`(${lying})`.mapWith(Number) })
    .from(objects)
    .where(and(gt(id, after), isNotNull(size), isNull(condemnedAt)))
    .orderBy(asc(id))
    .limit(PAGE)
    .execute();
}

/** Locks what it finds and looks again: whoever places content in an object has locked it, too. */
async function condemn(tx: Drizzle, intendedBefore: number, at: number): Promise<number> {
  const empty = sql`condemned_at IS NULL AND (size IS NOT NULL OR intended_at < ${intendedBefore})
    AND NOT EXISTS (SELECT 1 FROM content_locations WHERE object_id = content_objects.id)`;
  const found = await tx.select({ id: objects.id }).from(objects).where(empty).orderBy(asc(objects.id)).for("update");
  const ids = found.map(({ id }) => id);
  const condemned = tx
    .update(objects)
    .set({ condemnedAt: at })
    .where(and(inArray(objects.id, ids), empty));
  return countRows(condemned.returning({ id: objects.id }));
}
