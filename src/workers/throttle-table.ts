import type { Config } from "../config/settings.ts";
import type { Rate } from "../domain/model/rate.ts";
import type { Clock, Throttle } from "../domain/ports/system.ts";
import { SECOND } from "../domain/timestamp.ts";

/** The shared tables for API calls and visits; null for no limit. */
export interface ThrottleTables {
  readonly api: ThrottleTable | null;
  readonly visit: ThrottleTable | null;
}

/** `isShared`: whether the nodes of a cluster exchange what they take. */
export function newThrottleTables({ apiRate, visitRate }: Config, clock: Clock, isShared: boolean): ThrottleTables {
  return {
    api: apiRate && newThrottleTable(apiRate, clock.now(), isShared),
    visit: visitRate && newThrottleTable(visitRate, clock.now(), isShared),
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
export interface ThrottleTable {
  readonly rate: Rate;
  /** Start of the tick count, in milliseconds since the epoch. */
  readonly start: number;
  /** The owner of each bucket; 0 for none. */
  readonly owners: Int32Array<SharedArrayBuffer>;
  /** When each bucket will be full again, in ticks. */
  readonly fullAt: Int32Array<SharedArrayBuffer>;
  /** 1 for each row whose buckets a thread is assigning. */
  readonly locks: Int32Array<SharedArrayBuffer>;
  /** One random number, so that nobody can construct subjects that share a bucket. The same in all nodes. */
  readonly seed: Uint32Array<SharedArrayBuffer>;
  /** The tokens of each bucket that were taken here and that the other nodes do not know of; null without nodes. */
  readonly taken: Int32Array<SharedArrayBuffer> | null;
}

/** Tokens that were taken from a bucket. */
export interface TakenTokens {
  /** The row of the bucket, the same for an owner in all tables with the same seed. */
  readonly row: number;
  readonly owner: number;
  readonly count: number;
}

/** Fewer than 2^16. */
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

/** Tries to lock a row, with a millisecond between them. A thread holds it for less than a microsecond, unless it is paused. */
const LOCK_TRIES = 10;

/** Creates an empty table of half a megabyte. `start` is the current time. */
export function newThrottleTable(rate: Rate, start: number, isShared = false): ThrottleTable {
  const cells = (count = BUCKETS) => new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
  const seed = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT));
  seed[0] = Math.random() * 2 ** 32;
  const taken = isShared ? cells() : null;
  return { rate, start, owners: cells(), fullAt: cells(), locks: cells(ROWS), seed, taken };
}

/**
 * Returns a throttle on the table. A bucket is one number, the time at which it will be full again (the generic cell
 * rate algorithm). Taking from it is one atomic exchange, so that no thread waits for another. Threads take turns only
 * to assign a bucket to a new subject: otherwise the subject could get two.
 */
export function sharedThrottle(table: ThrottleTable, clock: Clock): Throttle {
  const { fullAt, seed, taken } = table;
  const scale = scaleOf(table);
  const { ticksPerMs, capacity } = scale;
  return {
    take(subject) {
      const now = scale.ticksAt(clock.now());
      const secret = seed[0] as number;
      const row = Bun.hash.xxHash32(subject, secret) % ROWS;
      const owner = Bun.hash.xxHash32(subject, ~secret >>> 0) | 0 || 1;
      for (;;) {
        // Again in each attempt, because the bucket may have been assigned to another subject.
        const bucket = bucketOf(table, row, owner, now);
        if (bucket === null) return TICKS_PER_ONE / ticksPerMs;
        const stored = Atomics.load(fullAt, bucket);
        const used = usedOf(scale, stored, now);
        const missing = used + TICKS_PER_ONE - capacity;
        if (missing > 0) return missing / ticksPerMs;
        const next = (now + used + TICKS_PER_ONE) | 0;
        if (Atomics.compareExchange(fullAt, bucket, stored, next) !== stored) continue;
        if (taken) Atomics.add(taken, bucket, 1);
        return 0;
      }
    },
  };
}

/** Returns tokens that were taken and not yet returned: those of at most `limit` buckets, the largest counts first. */
export function collectTaken({ owners, taken }: ThrottleTable, limit: number): readonly TakenTokens[] {
  if (taken === null) return [];
  const found: { readonly bucket: number; readonly count: number }[] = [];
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const count = taken[bucket] as number;
    if (count > 0) found.push({ bucket, count });
  }
  const largest = found.toSorted((one, other) => other.count - one.count).slice(0, limit);
  return largest.map(({ bucket }) => ({
    row: Math.floor(bucket / BUCKETS_PER_ROW),
    owner: Atomics.load(owners, bucket),
    count: Atomics.exchange(taken, bucket, 0),
  }));
}

/**
 * Takes tokens that another node has given. A bucket can owe up to its capacity, because each node gives tokens for a
 * second without knowing of the others.
 */
export function takeElsewhere(table: ThrottleTable, clock: Clock, tokens: readonly TakenTokens[]): void {
  const { fullAt } = table;
  const scale = scaleOf(table);
  const now = scale.ticksAt(clock.now());
  for (const { row, owner, count } of tokens) {
    for (;;) {
      const bucket = bucketOf(table, row % ROWS, owner, now);
      if (bucket === null) break;
      const stored = Atomics.load(fullAt, bucket);
      const used = Math.min(usedOf(scale, stored, now) + count * TICKS_PER_ONE, scale.most);
      if (Atomics.compareExchange(fullAt, bucket, stored, (now + used) | 0) === stored) break;
    }
  }
}

// --- internal ---

/** The units of a table. */
interface Scale {
  readonly ticksPerMs: number;
  readonly capacity: number;
  /** The most ticks that a bucket can lack. */
  readonly most: number;
  ticksAt(time: number): number;
}

function scaleOf({ rate, start, taken }: ThrottleTable): Scale {
  const ticksPerMs = (TICKS_PER_ONE * rate.count) / rate.window;
  const capacity = TICKS_PER_ONE * rate.count;
  const most = taken === null ? capacity : 2 * capacity;
  return { ticksPerMs, capacity, most, ticksAt: (time) => Math.floor((time - start) * ticksPerMs) | 0 };
}

/** Returns the ticks that a bucket lacks. A time further ahead than it can be means that the clock was set back. */
function usedOf({ ticksPerMs, most }: Scale, fullAt: number, now: number): number {
  const ahead = (fullAt - now) | 0;
  return ahead > 0 && ahead <= most + Math.ceil(CLOCK_TOLERANCE * ticksPerMs) ? ahead : 0;
}

/**
 * Returns the owner's bucket in its row; otherwise assigns a free one, or the fullest. Null if another thread has locked
 * the row for long.
 */
function bucketOf(table: ThrottleTable, row: number, owner: number, now: number): number | null {
  return findBucket(table, row, owner) ?? assignBucket(table, row, owner, now);
}

function findBucket({ owners }: ThrottleTable, row: number, owner: number): number | null {
  const start = row * BUCKETS_PER_ROW;
  for (let bucket = start; bucket < start + BUCKETS_PER_ROW; bucket++) {
    if (Atomics.load(owners, bucket) === owner) return bucket;
  }
  return null;
}

function assignBucket(table: ThrottleTable, row: number, owner: number, now: number): number | null {
  const { owners, fullAt, locks, taken } = table;
  if (!lock(locks, row)) return null;
  // Another thread may have assigned one meanwhile.
  let bucket = findBucket(table, row, owner);
  if (bucket === null) {
    bucket = fullestOf(table, row, now);
    // The owner comes last: what it takes before would be lost.
    Atomics.store(owners, bucket, 0);
    Atomics.store(fullAt, bucket, now);
    if (taken) Atomics.store(taken, bucket, 0);
    Atomics.store(owners, bucket, owner);
  }
  Atomics.store(locks, row, 0);
  return bucket;
}

function lock(locks: ThrottleTable["locks"], row: number): boolean {
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    if (Atomics.compareExchange(locks, row, 0, 1) === 0) return true;
    Atomics.wait(locks, row, 1, 1);
  }
  return false;
}

/** Returns a bucket of the row that nobody has; otherwise the fullest one. */
function fullestOf({ owners, fullAt }: ThrottleTable, row: number, now: number): number {
  const start = row * BUCKETS_PER_ROW;
  let fullest = start;
  let least = Number.POSITIVE_INFINITY;
  for (let bucket = start; bucket < start + BUCKETS_PER_ROW; bucket++) {
    if (Atomics.load(owners, bucket) === 0) return bucket;
    const used = (Atomics.load(fullAt, bucket) - now) | 0;
    if (used >= least) continue;
    least = used;
    fullest = bucket;
  }
  return fullest;
}
