import { and, asc, eq, getTableColumns, gt, lte, or, sql } from "drizzle-orm";
import type { LiveEvent, NewLiveEvent, SiteAudience } from "../../domain/model/live-event.ts";
import type { LiveEventStore } from "../../domain/ports/store/live-events.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { countRows, first } from "./rows.ts";
import { liveEvents, logCounters, readers, sites } from "./schema.ts";

/** Adds events for event streams, in the transaction of the change. */
export async function announce(tx: Drizzle, events: readonly NewLiveEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.insert(liveEvents).values(events.map((event) => ({ ...event, at: NOW })));
}

/** The database's clock, because the nodes' clocks may differ. */
const NOW = sql<number>`floor(extract(epoch FROM clock_timestamp()) * 1000)`.mapWith(Number);

/** The trigger that numbers the events of the log notifies it. */
const CHANNEL = "vitrine_live_events";

export function liveEventStore({ read, write, listen }: Connection): LiveEventStore {
  return {
    newestId: () => read(newestId),

    async after(id, maxAge, limit) {
      return read(async (db) => {
        const added = gt(liveEvents.id, id);
        const columns = {
          ...getTableColumns(liveEvents),
          isYoung: sql<boolean>`${liveEvents.at} >= ${NOW} - ${maxAge}`,
        };
        // Read first, so that an event that is added meanwhile is not taken for a dropped one.
        const newest = await newestId(db);
        const rows = await db.select(columns).from(liveEvents).where(added).orderBy(asc(liveEvents.id)).limit(limit);
        const [oldest] = rows;
        if (oldest) return oldest.id === id + 1 && oldest.isYoung ? rows.map(toEvent) : null;
        return id === newest ? [] : null;
      });
    },

    watch: (listener) => listen(CHANNEL, listener),
    audienceOf: (siteId) => read((db) => audienceOf(db, siteId)),

    async deleteOld(maxAge, most) {
      return write(async (tx) => {
        const surplus = lte(liveEvents.id, (await newestId(tx)) - most);
        const old = or(surplus, and(sql`${liveEvents.id} IS NOT NULL`, sql`${liveEvents.at} < ${NOW} - ${maxAge}`));
        return countRows(tx.delete(liveEvents).where(old).returning({ id: liveEvents.id }));
      });
    },
  };
}

// --- internal ---

async function newestId(db: Drizzle): Promise<number> {
  return (await first(db.select({ id: logCounters.liveEvents }).from(logCounters)))?.id ?? 0;
}

async function audienceOf(db: Drizzle, siteId: number): Promise<SiteAudience | null> {
  const columns = { siteName: sites.name, ownerId: sites.ownerId, private: sites.private };
  const site = await first(db.select(columns).from(sites).where(eq(sites.id, siteId)));
  if (!site) return null;
  const { private: isPrivate, ...audience } = site;
  if (!isPrivate) return { ...audience, readerIds: [] };
  const ofSite = db.select({ id: readers.userId }).from(readers).where(eq(readers.siteId, siteId));
  return { ...audience, readerIds: (await ofSite.orderBy(asc(readers.userId))).map(({ id }) => id) };
}

/** Every row that is read has its number already. */
function toEvent({
  rowId: _,
  at: __,
  isYoung: ___,
  id,
  ...event
}: typeof liveEvents.$inferSelect & { readonly isYoung: boolean }): LiveEvent {
  return { ...event, id: id as number };
}
