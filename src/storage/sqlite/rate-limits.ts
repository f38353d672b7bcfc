import { and, count, desc, eq, gt, lte, not } from "drizzle-orm";
import type { Rate } from "../../domain/model/rate.ts";
import type { RateLimitStore } from "../../domain/ports/store/rate-limits.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { rateEvents } from "./schema.ts";

/**
 * Threads read the clock a little before they write. An event further ahead comes from a clock that was set back since.
 */
const CLOCK_TOLERANCE = MINUTE;

export function rateLimitStore({ db, write, writeRelaxed }: Connection): RateLimitStore {
  return {
    async take(key, limit, now) {
      // A client above the limit must not occupy the writer.
      const looked = waitFor(db, key, limit, now);
      if (looked > 0) return looked;
      // A power cut may lose the last events. Nobody can exploit that, so no commit waits for the disk.
      return writeRelaxed((tx) => {
        const wait = waitFor(tx, key, limit, now);
        if (wait > 0) return wait;
        tx.delete(rateEvents)
          .where(and(eq(rateEvents.key, key), not(withinWindow(limit.window, now))))
          .run();
        tx.insert(rateEvents).values({ key, at: now }).run();
        return 0;
      });
    },

    async release(key, at) {
      await writeRelaxed((tx) => {
        const event = tx
          .select({ id: rateEvents.id })
          .from(rateEvents)
          .where(and(eq(rateEvents.key, key), eq(rateEvents.at, at)));
        const found = event.limit(1).get();
        if (found) tx.delete(rateEvents).where(eq(rateEvents.id, found.id)).run();
      });
    },

    async wait(key, limit, now) {
      return waitFor(db, key, limit, now);
    },

    async count(key, window, now) {
      const recent = and(eq(rateEvents.key, key), withinWindow(window, now));
      return db.select({ total: count() }).from(rateEvents).where(recent).get()?.total ?? 0;
    },

    async deleteOld(window, now) {
      const without = not(withinWindow(window, now));
      return write((tx) => tx.delete(rateEvents).where(without).returning({ id: rateEvents.id }).all().length);
    },
  };
}

function withinWindow(window: number, now: number) {
  return and(gt(rateEvents.at, now - window), lte(rateEvents.at, now + CLOCK_TOLERANCE))!;
}

/** The next event is allowed when the `count`-th newest has left the window. */
function waitFor(db: Drizzle, key: string, { count: most, window }: Rate, now: number): number {
  const recent = and(eq(rateEvents.key, key), withinWindow(window, now));
  const newest = db.select({ at: rateEvents.at }).from(rateEvents).where(recent).orderBy(desc(rateEvents.at));
  const blocking = newest
    .limit(1)
    .offset(most - 1)
    .get();
  // The wait never exceeds the window, even for an event in the future.
  return blocking ? Math.min(blocking.at - now, 0) + window : 0;
}
