import { and, asc, between, desc, eq, lt, sql, sum } from "drizzle-orm";
import {
  dayOfHour,
  MAX_NAMES,
  NAMED_COUNTS,
  type NamedCount,
  type ViewDelta,
} from "../../domain/analytics/view-deltas.ts";
import { VisitorSketch } from "../../domain/analytics/visitor-sketch.ts";
import type { ViewStore } from "../../domain/ports/store/views.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { list } from "./locks.ts";
import { first } from "./rows.ts";
import { sites, viewDays, viewHours, viewNames, viewSalts } from "./schema.ts";

export function viewStore({ read, write, writeRelaxed }: Connection): ViewStore {
  return {
    add: (deltas) => write((tx) => addDeltas(tx, deltas)),
    addForgettable: (deltas) => writeRelaxed((tx) => addDeltas(tx, deltas)),

    async days(siteId, from, to) {
      const wanted = and(eq(viewDays.siteId, siteId), between(viewDays.day, from, to));
      const rows = await read((db) => db.select().from(viewDays).where(wanted).orderBy(asc(viewDays.day)));
      return rows.map(({ siteId: _, ...row }) => withSketch(row));
    },

    async hours(siteId, from, to) {
      const wanted = and(eq(viewHours.siteId, siteId), between(viewHours.hour, from, to));
      const rows = await read((db) => db.select().from(viewHours).where(wanted).orderBy(asc(viewHours.hour)));
      return rows.map(({ siteId: _, ...row }) => withSketch(row));
    },

    async top(siteId, kind, { from, to }, limit) {
      const counted = sum(viewNames.count).mapWith(Number);
      const ofKind = and(eq(viewNames.siteId, siteId), eq(viewNames.kind, kind), between(viewNames.day, from, to));
      return read((db) =>
        db
          .select({ name: viewNames.name, count: counted })
          .from(viewNames)
          .where(ofKind)
          .groupBy(viewNames.name)
          .orderBy(desc(counted), asc(viewNames.name))
          .limit(limit),
      );
    },

    async salt(day, candidate) {
      return write(async (tx) => {
        await tx.insert(viewSalts).values({ day, salt: candidate }).onConflictDoNothing();
        await tx.delete(viewSalts).where(lt(viewSalts.day, day));
        return (await first(tx.select().from(viewSalts).where(eq(viewSalts.day, day))))!.salt;
      });
    },

    async forgetBefore(day) {
      await write(async (tx) => {
        await tx.delete(viewDays).where(lt(viewDays.day, day));
        await tx.delete(viewNames).where(lt(viewNames.day, day));
      });
    },

    async forgetHoursBefore(hour) {
      await write((tx) => tx.delete(viewHours).where(lt(viewHours.hour, hour)));
    },
  };
}

// --- internal ---

function withSketch<Row extends { readonly visitors: Uint8Array }>(row: Row) {
  return { ...row, visitors: VisitorSketch.fromBytes(row.visitors) };
}

/** In the order of sites, so that nodes that add at the same moment wait for each other without a deadlock. */
async function addDeltas(tx: Drizzle, deltas: readonly ViewDelta[]): Promise<void> {
  for (const delta of deltas.toSorted((one, other) => one.siteId - other.siteId)) await addDelta(tx, delta);
}

/** Locks the site's row, and with it all of its counts. */
async function addDelta(tx: Drizzle, delta: ViewDelta): Promise<void> {
  const { siteId, hour, views } = delta;
  const day = dayOfHour(hour);
  const counted = tx.update(sites).set({ totalViews: sql`${sites.totalViews} + ${views}` });
  // No row changed: the site was deleted while its visits were counted.
  if (!(await first(counted.where(eq(sites.id, siteId)).returning({ id: sites.id })))) return;
  await addToDay(tx, day, delta);
  await addToHour(tx, hour, delta);
  for (const kind of NAMED_COUNTS) await addNames(tx, siteId, day, kind, delta.named[kind]);
}

const EMPTY = new Uint8Array();

async function addToDay(tx: Drizzle, day: number, delta: ViewDelta): Promise<void> {
  const { siteId, views, botViews, bytes } = delta;
  const added = tx.insert(viewDays).values({ siteId, day, views, botViews, bytes, visitors: EMPTY });
  const sums = sumsOf(viewDays);
  const before = await first(
    added
      .onConflictDoUpdate({ target: [viewDays.siteId, viewDays.day], set: sums })
      .returning({ visitors: viewDays.visitors }),
  );
  const one = and(eq(viewDays.siteId, siteId), eq(viewDays.day, day));
  await tx
    .update(viewDays)
    .set({ visitors: merged(before!.visitors, delta) })
    .where(one);
}

async function addToHour(tx: Drizzle, hour: number, delta: ViewDelta): Promise<void> {
  const { siteId, views, botViews, bytes } = delta;
  const added = tx.insert(viewHours).values({ siteId, hour, views, botViews, bytes, visitors: EMPTY });
  const sums = sumsOf(viewHours);
  const before = await first(
    added
      .onConflictDoUpdate({ target: [viewHours.siteId, viewHours.hour], set: sums })
      .returning({ visitors: viewHours.visitors }),
  );
  const one = and(eq(viewHours.siteId, siteId), eq(viewHours.hour, hour));
  await tx
    .update(viewHours)
    .set({ visitors: merged(before!.visitors, delta) })
    .where(one);
}

function sumsOf(counts: typeof viewDays | typeof viewHours) {
  return {
    views: sql`${counts.views} + excluded.views`,
    botViews: sql`${counts.botViews} + excluded.bot_views`,
    bytes: sql`${counts.bytes} + excluded.bytes`,
  };
}

function merged(before: Uint8Array, { visitors }: ViewDelta): Uint8Array {
  const sketch = VisitorSketch.fromBytes(before);
  sketch.merge(visitors);
  return sketch.toBytes();
}

/** Counts names in one statement; new ones only while there is room for them, in the order in which they come. */
async function addNames(
  tx: Drizzle,
  siteId: number,
  day: number,
  kind: NamedCount,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  if (counts.size === 0) return;
  const ofKind = sql`site_id = ${siteId}::bigint AND day = ${day}::bigint AND kind = ${kind}::text`;
  const names = list([...counts.keys()], "text");
  const added = list([...counts.values()], "bigint");
  await tx.execute(sql`
    WITH added AS (SELECT * FROM unnest(${names}, ${added}) WITH ORDINALITY AS added (name, count, position)),
      known AS (
        UPDATE view_names SET count = view_names.count + added.count FROM added
          WHERE ${ofKind} AND view_names.name = added.name COLLATE "C" RETURNING view_names.name)
    INSERT INTO view_names (site_id, day, kind, name, count)
      SELECT ${siteId}::bigint, ${day}::bigint, ${kind}::text, name, count FROM added
        WHERE name COLLATE "C" NOT IN (SELECT name FROM known) ORDER BY position
        LIMIT greatest(0, ${MAX_NAMES[kind]}::bigint - (SELECT count(*) FROM view_names WHERE ${ofKind}))`);
}
