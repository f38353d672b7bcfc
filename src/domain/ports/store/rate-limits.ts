import type { Rate } from "../../model/rate.ts";

/**
 * Counts events over sliding windows, for all threads together. Events more than a minute ahead of `now` come from a
 * clock that was set back, and do not count.
 */
export interface RateLimitStore {
  /**
   * Counts one event and returns 0, or counts nothing and returns the milliseconds until one would be allowed. The
   * check and the count are one transaction.
   */
  take(key: string, rate: Rate, now: number): Promise<number>;

  /** Removes one event of `key` that was counted at that time. */
  release(key: string, at: number): Promise<void>;

  /** Returns what `take` would return, without counting. */
  wait(key: string, rate: Rate, now: number): Promise<number>;

  /** Returns the number of events within the last `window` milliseconds. */
  count(key: string, window: number, now: number): Promise<number>;

  /** Deletes events that no window of that length includes at `now`. Returns their number. */
  deleteOld(window: number, now: number): Promise<number>;
}
