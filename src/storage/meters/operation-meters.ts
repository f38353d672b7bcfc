import { LATENCY_BUCKETS, latencyBucket } from "../../domain/maintenance/latency.ts";

const FAILURES = 0;
const MICROSECONDS = 1;
/** Operations by duration, the last one of those above all bounds. */
const BUCKETS = 2;
const SLOTS = BUCKETS + LATENCY_BUCKETS.length + 1;

/** The durations of one kind of operation in all threads of the process, in memory that they share. */
export type OperationSlots = BigInt64Array<SharedArrayBuffer>;

export function newOperationSlots(): OperationSlots {
  return new BigInt64Array(new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT));
}

/** Counts an operation that took so many seconds. */
export function countOperation(slots: OperationSlots, seconds: number, isFailed: boolean): void {
  Atomics.add(slots, BUCKETS + latencyBucket(seconds), 1n);
  Atomics.add(slots, MICROSECONDS, BigInt(Math.round(seconds * 1e6)));
  if (isFailed) Atomics.add(slots, FAILURES, 1n);
}

/** Receives the duration of an operation. */
export type Observe = (seconds: number, isFailed: boolean) => void;

/** Runs an operation and reports its duration. An error counts as a failure if `isFailure` says so. */
export async function timed<T>(
  run: () => Promise<T>,
  observe: Observe,
  isFailure: (error: unknown) => boolean = () => true,
): Promise<T> {
  const begun = performance.now();
  const report = (isFailed: boolean) => observe((performance.now() - begun) / 1000, isFailed);
  try {
    const result = await run();
    report(false);
    return result;
  } catch (error) {
    report(isFailure(error));
    throw error;
  }
}

export interface OperationFigures {
  readonly failures: number;
  /** Operations by bucket, not cumulative; the last one is for those above all bounds. */
  readonly buckets: readonly number[];
  /** The sum of all. */
  readonly seconds: number;
}

export function readOperations(slots: OperationSlots): OperationFigures {
  const at = (slot: number) => Number(Atomics.load(slots, slot));
  return {
    failures: at(FAILURES),
    buckets: Array.from({ length: LATENCY_BUCKETS.length + 1 }, (_, index) => at(BUCKETS + index)),
    seconds: at(MICROSECONDS) / 1e6,
  };
}
