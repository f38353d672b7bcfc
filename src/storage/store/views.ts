import { and, asc, between, desc, eq, lt, max, sql, sum } from "drizzle-orm";
import { MAX_NAMES } from "../../domain/analytics/view-deltas.ts";
import { dayOfHour, NAMED_COUNTS, type NamedCount, type ViewDelta } from "../../domain/model/view-delta.ts";
import { VisitorSketch } from "../../domain/model/visitor-sketch.ts";
import type { ViewBatch, ViewStore } from "../../domain/ports/store/views.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { first, rowsOf } from "./rows.ts";
import { sites, viewDays, viewHours, viewNames, viewSalts, viewWriters } from "./schema.ts";
import { byBytes, NOW, rowsAs } from "./sql.ts";

export function viewStore({ read, write, writeRelaxed }: Connection): ViewStore {
  return {
    add: (deltas, batch) => write((tx) => addOnce(tx, deltas, batch)),
    addRelaxed: (deltas, batch) => writeRelaxed((tx) => addOnce(tx, deltas, batch)),

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

    async lost(siteId, { from, to }, limit) {
      const hits = sum(viewNames.count).mapWith(Number);
      const lastAt = max(viewNames.lastAt).mapWith(Number);
      const ofKind = and(eq(viewNames.siteId, siteId), eq(viewNames.kind, "lost"), between(viewNames.day, from, to));
      return read((db) =>
        db
          .select({ path: viewNames.name, hits, lastAt })
          .from(viewNames)
          .where(ofKind)
          .groupBy(viewNames.name)
          .orderBy(desc(hits), asc(viewNames.name))
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

    async deleteBefore(day) {
      await write(async (tx) => {
        await tx.delete(viewDays).where(lt(viewDays.day, day));
        await tx.delete(viewNames).where(lt(viewNames.day, day));
      });
    },

    async deleteHoursBefore(hour) {
      await write(async (tx) => {
        await tx.delete(viewHours).where(lt(viewHours.hour, hour));
        await tx.delete(viewWriters).where(lt(viewWriters.hour, hour));
      });
    },
  };
}

// --- internal ---

function withSketch<Row extends { readonly visitors: Uint8Array }>(row: Row) {
  return { ...row, visitors: VisitorSketch.fromBytes(row.visitors) };
}

async function addOnce(tx: Drizzle, deltas: readonly ViewDelta[], batch: ViewBatch | undefined): Promise<void> {
  if (batch === undefined || (await isNew(tx, batch))) await addDeltas(tx, deltas);
}

/** Records the batch as the writer's latest, unless it was recorded before. */
async function isNew(tx: Drizzle, { writer, number }: ViewBatch): Promise<boolean> {
  const latest = { batch: number, hour: sql<number>`${NOW} / 3600000` };
  const recorded = tx
    .insert(viewWriters)
    .values({ writer, ...latest })
    .onConflictDoUpdate({ target: viewWriters.writer, set: latest, setWhere: lt(viewWriters.batch, number) });
  return (await first(recorded.returning({ writer: viewWriters.writer }))) !== null;
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
  await addCounts(tx, "day", day, delta);
  await addCounts(tx, "hour", hour, delta);
  for (const kind of NAMED_COUNTS) {
    await addNames(tx, { siteId, day, kind, lastAt: kind === "lost" ? delta.lostAt : null }, delta.named[kind]);
  }
}

/** Adds a delta to the counts of a day or an hour. */
async function addCounts(tx: Drizzle, period: "day" | "hour", at: number, delta: ViewDelta): Promise<void> {
  const { siteId, views, botViews, bytes, visitors } = delta;
  const [table, column] = [sql.raw(`view_${period}s`), sql.raw(period)];
  const added = sql`
    INSERT INTO ${table} (site_id, ${column}, views, bot_views, bytes, visitors)
    VALUES (${siteId}, ${at}, ${views}, ${botViews}, ${bytes}, ${new Uint8Array()})
    ON CONFLICT (site_id, ${column}) DO UPDATE SET views = ${table}.views + excluded.views,
      bot_views = ${table}.bot_views + excluded.bot_views, bytes = ${table}.bytes + excluded.bytes
    RETURNING visitors`;
  const before = await first(rowsOf<{ visitors: Uint8Array }>(tx, added));
  const sketch = VisitorSketch.fromBytes(before!.visitors);
  sketch.merge(visitors);
  const one = sql`site_id = ${siteId} AND ${column} = ${at}`;
  await tx.execute(sql`UPDATE ${table} SET visitors = ${sketch.toBytes()} WHERE ${one}`);
}

interface NamesOfDay {
  readonly siteId: number;
  readonly day: number;
  readonly kind: NamedCount;
  readonly lastAt: number | null;
}

/** Counts known names, and adds new ones in their order, only up to the limit. The site's row is locked. */
async function addNames(
  tx: Drizzle,
  { siteId, day, kind, lastAt }: NamesOfDay,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  if (counts.size === 0) return;
  const ofKind = and(eq(viewNames.siteId, siteId), eq(viewNames.day, day), eq(viewNames.kind, kind));
  const added = rowsAs("added", { name: ["text", [...counts.keys()]], count: ["bigint", [...counts.values()]] });
  const name = byBytes(sql`added.name`);
  await tx.execute(sql`
    UPDATE view_names SET count = view_names.count + added.count, last_at = CAST(${lastAt} AS bigint) FROM ${added}
      WHERE ${ofKind} AND view_names.name = ${name}`);
  const room = sql`SELECT CASE WHEN count(*) < ${MAX_NAMES[kind]} THEN ${MAX_NAMES[kind]} - count(*) ELSE 0 END
    FROM view_names WHERE ${ofKind}`;
  await tx.execute(sql`
    INSERT INTO view_names (site_id, day, kind, name, count, last_at)
      SELECT CAST(${siteId} AS bigint), CAST(${day} AS bigint), CAST(${kind} AS text), name, count, CAST(${lastAt} AS bigint)
        FROM ${added}
        WHERE ${name} NOT IN (SELECT name FROM view_names WHERE ${ofKind}) ORDER BY position LIMIT (${room})`);
}
