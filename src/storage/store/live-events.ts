import { and, asc, eq, gt, isNotNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { LiveEvent, NewLiveEvent, SiteAudience } from "../../domain/model/live-event.ts";
import type { LiveEventStore } from "../../domain/ports/store/live-events.ts";
import { byDatabase } from "./by-database.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { idsIn } from "./roles.ts";
import { deleteRows, first, hasRow, rowsOf } from "./rows.ts";
import { liveEvents, members, readers, sites } from "./schema.ts";
import { NOW } from "./sql.ts";

/** Adds events for event streams, in the transaction of the change. */
export async function announce(tx: Drizzle, events: readonly NewLiveEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.insert(liveEvents).values(events.map((event) => ({ ...event, at: NOW })));
}

/** Deletes rows and announces that. Returns false, and announces nothing, if there are none. */
export async function deleteAnnounced(
  tx: Drizzle,
  table: PgTable,
  which: SQL | undefined,
  events: readonly NewLiveEvent[],
): Promise<boolean> {
  const isDeleted = (await deleteRows(tx, table, which)) > 0;
  if (isDeleted) await announce(tx, events);
  return isDeleted;
}

export function liveEventStore({ read, write, watchLiveEvents }: Connection): LiveEventStore {
  return {
    newestId: () => read(newestId),

    async after(id, maxAge, limit) {
      return read(async (db) => {
        const added = gt(liveEvents.id, id);
        const columns = { ...eventColumns, isYoung: sql`${liveEvents.at} >= ${NOW} - ${maxAge}`.mapWith(Boolean) };
        // Read first, so that an event that is added meanwhile is not taken for a dropped one.
        const newest = await newestId(db);
        const rows = await db.select(columns).from(liveEvents).where(added).orderBy(asc(liveEvents.id)).limit(limit);
        const [oldest] = rows;
        if (oldest) return oldest.id === id + 1 && oldest.isYoung ? rows.map(toEvent) : null;
        return id === newest ? [] : null;
      });
    },

    watch: watchLiveEvents,
    audienceOf: (siteId, now) => read((db) => audienceOf(db, siteId, now)),

    async deleteOld(maxAge, most) {
      const isOld = and(isNotNull(liveEvents.id), sql`${liveEvents.at} < ${NOW} - ${maxAge}`);
      const old = (newest: number) => or(lte(liveEvents.id, newest - most), isOld);
      // Most runs find nothing to delete and need not write.
      const isAny = await read(async (db) => hasRow(db, liveEvents, old(await newestId(db))));
      return isAny ? write(async (tx) => deleteRows(tx, liveEvents, old(await newestId(tx)))) : 0;
    },
  };
}

/** `LiveEventStore.audienceOf` as a part of a change. */
export async function audienceOf(db: Drizzle, siteId: number, now: number): Promise<SiteAudience | null> {
  const columns = { siteName: sites.name, ownerId: sites.ownerId, private: sites.private };
  const site = await first(db.select(columns).from(sites).where(eq(sites.id, siteId)));
  if (!site) return null;
  const { siteName, ownerId, private: isPrivate } = site;
  const others = (await idsIn(db, members, siteId, now)).filter((id) => id !== ownerId);
  const readerIds = isPrivate ? await idsIn(db, readers, siteId, now) : [];
  return { siteName, memberIds: [ownerId, ...others], readerIds };
}

// --- internal ---

const eventColumns = columnsExcept(liveEvents, "rowId", "at");

const NEWEST = byDatabase({
  postgres: sql`SELECT live_events AS id FROM log_counters`,
  sqlite: sql`SELECT seq AS id FROM sqlite_sequence WHERE name = 'live_events'`,
});

async function newestId(db: Drizzle): Promise<number> {
  return Number((await first(rowsOf<{ id: string }>(db, NEWEST)))?.id ?? 0);
}

/** Every row that is read has its number already. */
function toEvent({
  isYoung: _,
  id,
  ...event
}: Omit<LiveEvent, "id"> & { id: number | null; isYoung: boolean }): LiveEvent {
  return { ...event, id: id as number };
}
