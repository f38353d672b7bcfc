import type { Store } from "../ports/store.ts";
import { DAY } from "../timestamp.ts";

/** Rate limits look back a day at most; older events decide nothing. */
const LONGEST_WINDOW = DAY;

/**
 * Forgets sessions, visits, codes, unfinished sign-ins and rate events whose time is over; none of them opens anything
 * any more. Returns how many.
 */
export async function forgetExpired(
  store: Pick<Store, "sessions" | "visits" | "deviceCodes" | "signInAttempts" | "rateLimits">,
  now: number,
): Promise<number> {
  const forgotten = [
    await store.sessions.removeExpired(now),
    await store.visits.removeExpired(now),
    await store.deviceCodes.removeExpired(now),
    await store.signInAttempts.removeExpired(now),
    await store.rateLimits.removeBefore(now - LONGEST_WINDOW),
  ];
  return forgotten.reduce((total, count) => total + count, 0);
}
