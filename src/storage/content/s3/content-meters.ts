import { LATENCY_BUCKETS } from "../../../domain/maintenance/latency.ts";

const HITS = 0;
const MISSES = 1;
const FAILURES = 2;
const MICROSECONDS = 3;
/** Requests by duration, the last one of those above all bounds. */
const BUCKETS = 4;
const SLOTS = BUCKETS + LATENCY_BUCKETS.length + 1;

/** The counts of all threads of the process, in memory that they share. */
export type ContentMeterSlots = BigInt64Array<SharedArrayBuffer>;

export function newContentMeterSlots(): ContentMeterSlots {
  return new BigInt64Array(new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT));
}

/** Counts what the disk cache has, and the requests to the object store. */
export class ContentMeters {
  constructor(private readonly slots: ContentMeterSlots) {}

  /** Counts content that the disk cache had. */
  hit(): void {
    Atomics.add(this.slots, HITS, 1n);
  }

  /** Counts content that the disk cache did not have. */
  missed(): void {
    Atomics.add(this.slots, MISSES, 1n);
  }

  /** Counts an attempt of a request that took so many seconds. */
  requested(seconds: number, isFailed: boolean): void {
    let bucket = 0;
    while (bucket < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[bucket] as number)) bucket++;
    Atomics.add(this.slots, BUCKETS + bucket, 1n);
    Atomics.add(this.slots, MICROSECONDS, BigInt(Math.round(seconds * 1e6)));
    if (isFailed) Atomics.add(this.slots, FAILURES, 1n);
  }
}

export interface ContentFigures {
  readonly hits: number;
  readonly misses: number;
  /** Requests that failed or were refused. */
  readonly failures: number;
  /** Requests by bucket, not cumulative; the last one is for those above all bounds. */
  readonly buckets: readonly number[];
  readonly seconds: number;
}

export function readContentMeters(slots: ContentMeterSlots): ContentFigures {
  const at = (slot: number) => Number(Atomics.load(slots, slot));
  return {
    hits: at(HITS),
    misses: at(MISSES),
    failures: at(FAILURES),
    buckets: Array.from({ length: LATENCY_BUCKETS.length + 1 }, (_, index) => at(BUCKETS + index)),
    seconds: at(MICROSECONDS) / 1e6,
  };
}
