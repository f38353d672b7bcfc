import { and, desc, eq, gt, lte, not } from "drizzle-orm";
import type { Rate } from "../../domain/model/rate.ts";
import type { RateLimitStore } from "../../domain/ports/store/rate-limits.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { takeLock } from "./locks.ts";
import { countOf, deleteRows, first } from "./rows.ts";
import { rateEvents } from "./schema.ts";

/** The clocks of nodes differ by a little. An event further ahead is of a clock that was set back since. */
const CLOCK_TOLERANCE = MINUTE;

export function rateLimitStore({ read, write, writeRelaxed }: Connection): RateLimitStore {
  return {
    async take(key, limit, now) {
      // Who is over the limit must not wait for their turn, nor make others wait.
      const looked = await read((db) => waitFor(db, key, limit, now));
      if (looked > 0) return looked;
      // A power cut may lose the last events. Nobody can make use of that, so that no commit waits for the disk.
      return writeRelaxed(async (tx) => {
        await takeLock(tx, `rate of ${key}`);
        const wait = await waitFor(tx, key, limit, now);
        if (wait > 0) return wait;
        await tx.delete(rateEvents).where(and(eq(rateEvents.key, key), not(withinWindow(limit.window, now))));
        await tx.insert(rateEvents).values({ key, at: now });
        return 0;
      });
    },

    async release(key, at) {
      await writeRelaxed(async (tx) => {
        const counted = and(eq(rateEvents.key, key), eq(rateEvents.at, at));
        const event = tx.select({ id: rateEvents.id }).from(rateEvents).where(counted).limit(1);
        const found = await first(event.for("update", { skipLocked: true }));
        if (found) await tx.delete(rateEvents).where(eq(rateEvents.id, found.id));
      });
    },

    wait: (key, limit, now) => read((db) => waitFor(db, key, limit, now)),

    async count(key, window, now) {
      const recent = and(eq(rateEvents.key, key), withinWindow(window, now));
      return read((db) => countOf(db, rateEvents, recent));
    },

    async deleteOld(window, now) {
      const without = not(withinWindow(window, now));
      return write((tx) => deleteRows(tx, rateEvents, without));
    },
  };
}

// --- internal ---

function withinWindow(window: number, now: number) {
  return and(gt(rateEvents.at, now - window), lte(rateEvents.at, now + CLOCK_TOLERANCE))!;
}

/** The next event is allowed when the `count`-th newest has left the window. */
async function waitFor(db: Drizzle, key: string, { count: most, window }: Rate, now: number): Promise<number> {
  const recent = and(eq(rateEvents.key, key), withinWindow(window, now));
  const newest = db.select({ at: rateEvents.at }).from(rateEvents).where(recent).orderBy(desc(rateEvents.at));
  const blocking = await first(newest.limit(1).offset(most - 1));
  // Nobody waits longer than the window for an event in the future.
  return blocking ? Math.min(blocking.at - now, 0) + window : 0;
}
