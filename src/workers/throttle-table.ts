import type { Clock } from "../domain/ports/clock.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import type { Rate } from "../domain/rate-limit.ts";
import { SECOND } from "../domain/timestamp.ts";

/**
 * A table of buckets in memory that all threads share. It has room for as many subjects as come in one window of a busy
 * server; under a flood of subjects the fullest buckets are forgotten first, and nobody pays with memory.
 */
export interface ThrottleTable {
  readonly rate: Rate;
  /** From when ticks are counted, in milliseconds since the epoch. */
  readonly start: number;
  /** Whose each bucket is; 0 for nobody's. */
  readonly owners: Int32Array<SharedArrayBuffer>;
  /** When each bucket will be full again, in ticks. */
  readonly fullAt: Int32Array<SharedArrayBuffer>;
  /** So that nobody can work out who shares a bucket with whom. */
  readonly seed: number;
}

const ROWS = 16_384;
const BUCKETS_PER_ROW = 4;
const BUCKETS = ROWS * BUCKETS_PER_ROW;

/**
 * The time in which one comes back to a bucket is so many ticks, and ticks are counted modulo 2^32. So a subject that
 * comes back after exactly that long, two weeks at a million a day, may find a bucket that is not full; nothing more.
 */
const TICKS_PER_ONE = 256;

/** Threads read the clock a little before they take: to one that was late, a full bucket seems to be fuller than full. */
const CLOCK_TOLERANCE = SECOND;

/** Makes an empty table, of half a megabyte; `start` is now. */
export function newThrottleTable(rate: Rate, start: number): ThrottleTable {
  const cells = () => new Int32Array(new SharedArrayBuffer(BUCKETS * Int32Array.BYTES_PER_ELEMENT));
  return { rate, start, owners: cells(), fullAt: cells(), seed: Math.floor(Math.random() * 2 ** 32) };
}

/**
 * Returns a thread's end of the table. A bucket is one number, the time at which it will be full again (the generic cell
 * rate algorithm), and taking one moves it ahead by a step: one atomic exchange, so that no thread ever waits for another.
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
        // Nothing else can be further ahead than a whole bucket: then the clock was set back.
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

/** Returns the subject's bucket in its row; where it has none, nobody's becomes its own, or else the fullest. */
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
    // Exchanged against the owner that was seen: another thread may have taken it since, for this very subject perhaps,
    // and emptying it then would give that subject more than its rate.
    if (Atomics.compareExchange(owners, victim, victimOwner, owner) !== victimOwner) continue;
    if (victimOwner !== 0) Atomics.store(fullAt, victim, now);
    return victim;
  }
}
