import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type {
  ContentLocation,
  ContentObjectStore,
  ContentPlaces,
  FilledObject,
} from "../../domain/ports/store/content-objects.ts";
import { runsOnSqlite } from "./by-database.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { countRows, first, inPages, rowsOf } from "./rows.ts";
import { changes, contentBucket, contentLocations as locations, contentObjects as objects } from "./schema.ts";
import { isAnyOf, rowsAs } from "./sql.ts";

/** Rows read at once. */
const PAGE = 1000;

export function contentObjectStore({ read, write, writeRelaxed, writeRouting }: Connection): ContentObjectStore {
  return {
    async intend(name, intendedAt) {
      await write((tx) => tx.insert(objects).values({ name, intendedAt }));
    },

    place: (object, writer, at) => write((tx) => place(tx, object, { writer, at })),
    move: (object, from) => write((tx) => move(tx, object, from)),
    find: (digests) => read((db) => findLocations(db, digests)),
    contentsOf: (object) => read((db) => contentsOf(db, object)),
    list: () => inPages((last) => read((db) => pageOfLocations(db, last?.digest ?? ""))),
    delete: (digest, writtenBefore) => writeRelaxed((tx) => deleteLocation(tx, digest, writtenBefore)),

    async undo(writer) {
      await writeRelaxed((tx) => tx.delete(locations).where(eq(locations.writer, writer)));
    },

    usage: () => listUsage(read),
    condemnEmpty: (intendedBefore, at) => condemnEmpty(write, intendedBefore, at),
    listCondemned: (before, limit) => read((db) => listCondemned(db, before, limit)),

    async recorded(names) {
      const { name } = objects;
      const rows = await read((db) =>
        db
          .select({ name })
          .from(objects)
          .where(isAnyOf(name, names, "text")),
      );
      return new Set(rows.map((row) => row.name));
    },

    async deleteObjects(names) {
      const condemned = and(isNotNull(objects.condemnedAt), isAnyOf(objects.name, names, "text"));
      await write((tx) => tx.delete(objects).where(condemned));
    },

    async bucket() {
      const { owner, url } = contentBucket;
      return read((db) => first(db.select({ owner, url }).from(contentBucket)));
    },

    async setBucket({ owner, url }) {
      const row = { id: 1, owner, url };
      const changed = { target: contentBucket.id, set: { owner, url } };
      // All content may be elsewhere now, so nodes read again where it is.
      await writeRouting((tx) => tx.insert(contentBucket).values(row).onConflictDoUpdate(changed));
    },

    nameOwner: (name) => write((tx) => nameOwner(tx, name)),

    async deleteAll() {
      await write(async (tx) => {
        await tx.delete(locations);
        await tx.delete(objects);
      });
    },
  };
}

export function contentPlaces({ read }: Pick<Connection, "read">): ContentPlaces {
  return {
    locate: (digest) => read((db) => first(locationOf(db, { digest }))),
    contentsOf: (object) => read((db) => contentsOf(db, object)),
  };
}

// --- internal ---

const locationOf = prepared((db) => selectLocations(db).where(eq(locations.digest, sql.placeholder("digest"))));

/** Writes in the order of the digests, so that two objects with the same content that are placed at once cannot deadlock. */
async function place(
  tx: Drizzle,
  object: FilledObject,
  { writer, at }: { readonly writer: string; readonly at: number },
): Promise<boolean> {
  const objectId = await fill(tx, object);
  if (objectId === null) return false;
  const placed = await rowsOf<{ readonly digest: string; readonly writer: string | null }>(
    tx,
    sql`
      INSERT INTO content_locations (digest, size, object_id, "offset", written_at, writer)
      SELECT digest, size, CAST(${objectId} AS bigint), "offset", CAST(${at} AS bigint), ${writer}
      FROM ${rowsFrom(object.contents)} WHERE true ORDER BY digest
      ON CONFLICT (digest) DO UPDATE SET object_id = excluded.object_id, "offset" = excluded."offset",
        written_at = excluded.written_at, writer = NULL
      RETURNING digest, writer`,
  );
  const moved = placed.filter((row) => row.writer === null);
  await logMoved(tx, moved);
  return true;
}

async function move(tx: Drizzle, object: FilledObject, from: string): Promise<boolean> {
  const objectId = await fill(tx, object);
  if (objectId === null) return false;
  const moved = await rowsOf<{ readonly digest: string }>(
    tx,
    sql`
      UPDATE content_locations SET object_id = ${objectId}, "offset" = placed."offset" FROM ${rowsFrom(object.contents)}
      WHERE content_locations.digest = placed.digest
        AND content_locations.object_id = (SELECT id FROM content_objects WHERE name = ${from})
      RETURNING content_locations.digest AS digest`,
  );
  await logMoved(tx, moved);
  return true;
}

/**
 * Adds moved content to the log of changes, which nodes follow. Nobody waits for them, because the former objects stay
 * for a day. New content needs no entry: nodes learn where it is with the deployment or the encoding that refers to it.
 */
async function logMoved(tx: Drizzle, moved: readonly { readonly digest: string }[]): Promise<void> {
  if (moved.length === 0 || runsOnSqlite(tx)) return;
  await tx.insert(changes).values({ sites: [], moved: moved.map(({ digest }) => digest) });
}

/**
 * Records that an object is stored, and locks it, so that it is not condemned before the transaction ends. Returns its
 * ID; null if it was condemned.
 */
async function fill(tx: Drizzle, { name, size }: FilledObject): Promise<number | null> {
  const kept = and(eq(objects.name, name), isNull(objects.condemnedAt));
  const row = await first(tx.update(objects).set({ size }).where(kept).returning({ id: objects.id }));
  return row?.id ?? null;
}

/** Passes contents as a table `placed`. */
function rowsFrom(contents: FilledObject["contents"]): SQL {
  return rowsAs("placed", {
    digest: ["text", contents.map(({ digest }) => digest)],
    size: ["bigint", contents.map(({ size }) => size)],
    offset: ["bigint", contents.map(({ offset }) => offset)],
  });
}

async function findLocations(db: Drizzle, digests: readonly string[]): Promise<ReadonlyMap<string, ContentLocation>> {
  const rows = await selectLocations(db).where(isAnyOf(locations.digest, digests, "text"));
  return new Map(rows.map((location) => [location.digest, location]));
}

async function contentsOf(db: Drizzle, object: string): ReturnType<ContentObjectStore["contentsOf"]> {
  const { digest, size, offset } = locations;
  return db
    .select({ digest, size, offset })
    .from(locations)
    .innerJoin(objects, eq(objects.id, locations.objectId))
    .where(eq(objects.name, object))
    .orderBy(asc(offset), asc(digest));
}

async function pageOfLocations(db: Drizzle, after: string): Promise<readonly ContentLocation[]> {
  const rows = selectLocations(db).where(gt(locations.digest, after));
  return rows.orderBy(asc(locations.digest)).limit(PAGE);
}

function selectLocations(db: Drizzle) {
  const { digest, size, offset, writtenAt } = locations;
  const objectSize = sql<number>`coalesce(${objects.size}, 0)`.mapWith(Number);
  return db
    .select({ digest, size, offset, object: objects.name, objectSize, writtenAt })
    .from(locations)
    .innerJoin(objects, eq(objects.id, locations.objectId));
}

async function deleteLocation(tx: Drizzle, digest: string, writtenBefore: number): Promise<boolean> {
  const own = eq(locations.digest, digest);
  await tx.delete(locations).where(and(own, lt(locations.writtenAt, writtenBefore)));
  return (await first(tx.select({ digest: locations.digest }).from(locations).where(own))) === null;
}

async function* listUsage(read: Connection["read"]): ReturnType<ContentObjectStore["usage"]> {
  const all = inPages<UsageRow>((last) => read((db) => pageOfUsage(db, last?.id ?? 0)));
  for await (const { name, size, used } of all) yield { name, size: size ?? 0, used };
}

type UsageRow = Awaited<ReturnType<typeof pageOfUsage>>[number];

function pageOfUsage(db: Drizzle, after: number) {
  const { id, name, size, condemnedAt } = objects;
  const used = sql`SELECT coalesce(sum(${locations.size}), 0) FROM ${locations} WHERE ${locations.objectId} = ${id}`;
  return db
    .select({ id, name, size, used: sql<number>`(${used})`.mapWith(Number) })
    .from(objects)
    .where(and(gt(id, after), isNotNull(size), isNull(condemnedAt)))
    .orderBy(asc(id))
    .limit(PAGE)
    .execute();
}

async function condemnEmpty(write: Connection["write"], intendedBefore: number, at: number): Promise<number> {
  const empty = sql`condemned_at IS NULL AND (size IS NOT NULL OR intended_at < ${intendedBefore})
    AND NOT EXISTS (SELECT 1 FROM content_locations WHERE object_id = content_objects.id)`;
  let total = 0;
  for (let after = 0; ; ) {
    const { last, condemned } = await write((tx) => condemnPage(tx, { empty, after, at }));
    total += condemned;
    if (last === null) return total;
    after = last;
  }
}

/**
 * Condemns the empty objects of a page, and returns the id of the last one it found; null after the last page. An upload
 * locks the object in which it places content, so the objects are locked first, and condemned only if they are still
 * empty.
 */
async function condemnPage(
  tx: Drizzle,
  { empty, after, at }: { readonly empty: SQL; readonly after: number; readonly at: number },
): Promise<{ readonly last: number | null; readonly condemned: number }> {
  const { id } = objects;
  const page = tx.select({ id }).from(objects).where(sql`${id} > ${after} AND ${empty}`).orderBy(asc(id)).limit(PAGE);
  const ids = (await page.for("update")).map((row) => row.id);
  const found = and(inArray(id, ids), empty);
  const condemned = await countRows(tx.update(objects).set({ condemnedAt: at }).where(found).returning({ id }));
  return { last: ids.length < PAGE ? null : (ids.at(-1) as number), condemned };
}

async function listCondemned(db: Drizzle, before: number, limit: number): Promise<readonly string[]> {
  const old = lt(objects.condemnedAt, before);
  const rows = await db.select({ name: objects.name }).from(objects).where(old).orderBy(asc(objects.id)).limit(limit);
  return rows.map(({ name }) => name);
}

async function nameOwner(tx: Drizzle, name: string): Promise<string> {
  const { owner } = contentBucket;
  const row = { id: 1, owner: name, url: null };
  // Without a change, the statement would not return the row of another node.
  const unchanged = { target: contentBucket.id, set: { owner: sql`${contentBucket}.owner` } };
  const named = tx.insert(contentBucket).values(row).onConflictDoUpdate(unchanged).returning({ owner });
  return (await first(named))!.owner;
}
