import type { Interval } from "./history.ts";

/** A write of a value that everybody reads. */
export interface Write<T> extends Interval {
  readonly value: T;
  /** Whether every read that begins after its end shows it, or a later one. */
  readonly isPromised: boolean;
}

/** The writes of one value, by which reads are judged. */
export interface Register<T> {
  /**
   * Returns null if a read of this value is right: a write of it began before the read ended, and no other promised
   * write happened entirely between that write and the read. Otherwise returns the promised write that the read does
   * not show; for a value that nobody had written, the one before the read.
   */
  missedBy(read: Interval, value: T): Write<T> | null;
}

/** `initial` is the value before all writes. A write whose end is unknown ends at infinity. */
export function newRegister<T>(initial: T, written: readonly Write<T>[]): Register<T> {
  const first = { value: initial, begin: Number.NEGATIVE_INFINITY, end: Number.NEGATIVE_INFINITY, isPromised: true };
  const writes = [first, ...written];
  const byValue = Map.groupBy(writes, ({ value }) => value);
  const newest = newestBy(writes.filter(({ isPromised }) => isPromised));
  return {
    missedBy(read, value) {
      // Of the promised writes that ended before the read, the one that began last: what ended before it began is old.
      const latest = newest(read.begin);
      const isPossible = ({ begin, end }: Write<T>) => begin < read.end && end >= latest.begin;
      return byValue.get(value)?.some(isPossible) ? null : latest;
    },
  };
}

// --- internal ---

/** Returns a function that returns, of the writes that ended before a time, the one that began last. */
function newestBy<T>(writes: readonly Write<T>[]): (time: number) => Write<T> {
  const sorted = [...writes].sort((one, other) => one.end - other.end);
  let last = sorted[0] as Write<T>;
  const newest = sorted.map((write) => {
    if (write.begin > last.begin) last = write;
    return last;
  });
  return (time) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as Write<T>).end < time) low = middle + 1;
      else high = middle;
    }
    return newest[Math.max(0, low - 1)] as Write<T>;
  };
}
