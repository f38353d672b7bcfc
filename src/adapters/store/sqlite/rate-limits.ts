import { and, count, desc, eq, gt, lte } from "drizzle-orm";
import type { RateLimitStore } from "../../../domain/ports/store/rate-limits.ts";
import type { Rate } from "../../../domain/rate-limit.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { rateEvents } from "./schema.ts";

export function rateLimitStore({ db, write }: Connection): RateLimitStore {
  return {
    async take(key, limit, now) {
      // Who is over the limit must not keep the one writer busy.
      const looked = waitFor(db, key, limit, now);
      if (looked > 0) return looked;
      return write((tx) => {
        const wait = waitFor(tx, key, limit, now);
        if (wait > 0) return wait;
        tx.delete(rateEvents)
          .where(and(eq(rateEvents.key, key), lte(rateEvents.at, now - limit.window)))
          .run();
        tx.insert(rateEvents).values({ key, at: now }).run();
        return 0;
      });
    },

    async wait(key, limit, now) {
      return waitFor(db, key, limit, now);
    },

    async count(key, window, now) {
      const recent = and(eq(rateEvents.key, key), gt(rateEvents.at, now - window));
      return db.select({ total: count() }).from(rateEvents).where(recent).get()?.total ?? 0;
    },

    async removeBefore(at) {
      return write(
        (tx) => tx.delete(rateEvents).where(lte(rateEvents.at, at)).returning({ id: rateEvents.id }).all().length,
      );
    },
  };
}

/** The next event is allowed when the `count`-th newest has left the window. */
function waitFor(db: Drizzle, key: string, { count: most, window }: Rate, now: number): number {
  const recent = and(eq(rateEvents.key, key), gt(rateEvents.at, now - window));
  const newest = db.select({ at: rateEvents.at }).from(rateEvents).where(recent).orderBy(desc(rateEvents.at));
  const blocking = newest
    .limit(1)
    .offset(most - 1)
    .get();
  // A clock that was set back leaves events in what is to come: nobody is told to wait longer than the window for them.
  return blocking ? Math.min(blocking.at - now, 0) + window : 0;
}
