import type { Config } from "../config/settings.ts";
import type { Rate } from "../domain/model/rate.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import { SECOND } from "../domain/timestamp.ts";

/** The shared tables for API calls and visits; null for no limit. */
export interface ThrottleTables {
  readonly api: ThrottleTable | null;
  readonly visit: ThrottleTable | null;
}

export function newThrottleTables({ apiRate, visitRate }: Config, clock: Clock): ThrottleTables {
  return {
    api: apiRate && newThrottleTable(apiRate, clock.now()),
    visit: visitRate && newThrottleTable(visitRate, clock.now()),
  };
}

/** Returns the throttle of a table; null for no limit. */
export function throttleOf(table: ThrottleTable | null, clock: Clock): Throttle | null {
  return table && sharedThrottle(table, clock);
}

/**
 * A table of rate-limit buckets in shared memory. It has room for the subjects of one window of a busy server. Under a
 * flood of subjects the fullest buckets are evicted first, so the memory is limited.
 */
interface ThrottleTable {
  readonly rate: Rate;
  /** Start of the tick count, in milliseconds since the epoch. */
  readonly start: number;
  /** The owner of each bucket; 0 for none. */
  readonly owners: Int32Array<SharedArrayBuffer>;
  /** When each bucket will be full again, in ticks. */
  readonly fullAt: Int32Array<SharedArrayBuffer>;
  /** Random, so that nobody can construct subjects that share a bucket. */
  readonly seed: number;
}

const ROWS = 16_384;
const BUCKETS_PER_ROW = 4;
const BUCKETS = ROWS * BUCKETS_PER_ROW;

/**
 * The refill time of one request is this number of ticks, and ticks are counted modulo 2^32. A subject that
 * returns after exactly one cycle, two weeks at a million requests a day, may find its bucket not full.
 */
const TICKS_PER_ONE = 256;

/** Threads read the clock slightly before they take: a late thread can see a bucket beyond its capacity. */
const CLOCK_TOLERANCE = SECOND;

/** Creates an empty table of half a megabyte. `start` is the current time. */
export function newThrottleTable(rate: Rate, start: number): ThrottleTable {
  const cells = () => new Int32Array(new SharedArrayBuffer(BUCKETS * Int32Array.BYTES_PER_ELEMENT));
  return { rate, start, owners: cells(), fullAt: cells(), seed: Math.floor(Math.random() * 2 ** 32) };
}

/**
 * Returns a throttle on the table. A bucket is one number, the time at which it will be full again (the generic cell
 * rate algorithm). Taking from it is one atomic exchange, so that no thread waits for another.
 */
export function sharedThrottle(table: ThrottleTable, clock: Clock): Throttle {
  const { rate, start, fullAt, seed } = table;
  const ticksPerMs = (TICKS_PER_ONE * rate.count) / rate.window;
  const capacity = TICKS_PER_ONE * rate.count;
  const furthest = capacity + Math.ceil(CLOCK_TOLERANCE * ticksPerMs);
  return {
    take(subject) {
      const now = Math.floor((clock.now() - start) * ticksPerMs) | 0;
      const bucket = bucketOf(table, Bun.hash.xxHash32(subject, seed), Bun.hash.xxHash32(subject, ~seed >>> 0), now);
      for (;;) {
        const stored = Atomics.load(fullAt, bucket);
        const ahead = (stored - now) | 0;
        // A value further ahead than the capacity means that the clock was set back.
        const used = ahead > 0 && ahead <= furthest ? ahead : 0;
        const missing = used + TICKS_PER_ONE - capacity;
        if (missing > 0) return missing / ticksPerMs;
        const next = (now + used + TICKS_PER_ONE) | 0;
        if (Atomics.compareExchange(fullAt, bucket, stored, next) === stored) return 0;
      }
    },
  };
}

// --- internal ---

/** Returns the subject's bucket in its row; otherwise assigns a free one, or evicts the fullest. */
function bucketOf({ owners, fullAt }: ThrottleTable, place: number, tag: number, now: number): number {
  const start = (place % ROWS) * BUCKETS_PER_ROW;
  const owner = tag | 0 || 1;
  for (;;) {
    let victim = start;
    let victimOwner = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let bucket = start; bucket < start + BUCKETS_PER_ROW; bucket++) {
      const holder = Atomics.load(owners, bucket);
      if (holder === owner) return bucket;
      const used = holder === 0 ? Number.NEGATIVE_INFINITY : (Atomics.load(fullAt, bucket) - now) | 0;
      if (used >= least) continue;
      least = used;
      victim = bucket;
      victimOwner = holder;
    }
    // Compare-and-exchange: another thread may have taken the bucket meanwhile, possibly for the same subject,
    // and resetting it then would exceed that subject's rate.
    if (Atomics.compareExchange(owners, victim, victimOwner, owner) !== victimOwner) continue;
    if (victimOwner !== 0) Atomics.store(fullAt, victim, now);
    return victim;
  }
}
