/**
 * A node's lease in memory that its threads share: the end of the lease, and the time until which the node is known to
 * be without a connection to the database. Both are on the main thread's monotonic clock.
 */
export type LeaseCell = Int32Array<SharedArrayBuffer>;

/** Times are stored in ticks, of which 32 bits last for years. The end of a lease is rounded down. */
const TICK_MS = 50;

/** The earliest time that a cell can hold: three years before the start. */
const EARLIEST = -(2 ** 31) * TICK_MS;

const ENDS = 0;
const ISOLATED_UNTIL = 1;

export function newLeaseCell(): LeaseCell {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** The lease as one thread sees it. */
export interface NodeLease {
  /** Whether every change waits for this node, so that its replica is current. */
  isCurrent(): boolean;

  /** Returns the milliseconds since the end of the lease; 0 or less while it lasts. */
  endedFor(): number;

  /** Whether the node tried to renew its ended lease within the last seconds, and could not. */
  isIsolated(): boolean;

  /** Extends the lease to a time on the clock of `now`. */
  extend(until: number): void;

  /** Ends the lease at once. */
  end(): void;

  /** Records a lease of an earlier start of the node, which ended so many milliseconds ago. */
  resume(ago: number): void;

  /** Ends the lease as if it had been years ago, so that isolation permits nothing either. */
  discard(): void;

  /** Records for some seconds that the lease cannot be renewed. */
  noteIsolation(): void;
}

/**
 * How long a failed renewal counts. Longer than the time between two attempts, and short, because a process that was
 * stopped for a while must try again before it answers.
 */
const ISOLATION_MS = 2500;

/**
 * Returns the lease in a cell. `now` is the main thread's monotonic clock in milliseconds, which every thread has to
 * derive from its own: their clocks start at zero with the thread.
 */
export function leaseIn(cell: LeaseCell, now: () => number): NodeLease {
  const at = (index: number) => Atomics.load(cell, index) * TICK_MS;
  const set = (index: number, time: number) => Atomics.store(cell, index, Math.floor(time / TICK_MS));
  return {
    isCurrent: () => now() < at(ENDS),
    endedFor: () => now() - at(ENDS),
    // A thread may note it just after another one has renewed the lease.
    isIsolated: () => now() < at(ISOLATED_UNTIL) && now() >= at(ENDS),
    extend(until) {
      set(ENDS, until);
      set(ISOLATED_UNTIL, 0);
    },
    end: () => void set(ENDS, Math.min(at(ENDS), now())),
    resume: (ago) => void set(ENDS, Math.max(now() - ago, EARLIEST)),
    discard: () => void set(ENDS, EARLIEST),
    noteIsolation: () => void set(ISOLATED_UNTIL, now() + ISOLATION_MS),
  };
}
