import type { Rate } from "../../rate-limit.ts";

/**
 * Counts events over sliding windows, for all threads together. Events more than a minute ahead of `now` are of a clock
 * that was set back, and do not count.
 */
export interface RateLimitStore {
  /**
   * Counts one event and returns 0, or counts nothing and returns the milliseconds until one would be allowed.
   * The look and the count are one step.
   */
  take(key: string, rate: Rate, now: number): Promise<number>;

  /** Takes back one event of `key` that was counted at that time. */
  giveBack(key: string, at: number): Promise<void>;

  /** Returns what `take` would return, and counts nothing. */
  wait(key: string, rate: Rate, now: number): Promise<number>;

  /** Returns how many events there were within the last `window` milliseconds. */
  count(key: string, window: number, now: number): Promise<number>;

  /** Forgets events that count for no window of that length at `now`; returns how many. */
  forget(window: number, now: number): Promise<number>;
}
