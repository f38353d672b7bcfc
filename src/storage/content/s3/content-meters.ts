import {
  countOperation,
  newOperationSlots,
  type OperationFigures,
  type OperationSlots,
  readOperations,
} from "../../meters/operation-meters.ts";

const HITS = 0;
const MISSES = 1;

/** The counts of all threads of the process, in memory that they share. */
export interface ContentMeterSlots {
  readonly cache: BigInt64Array<SharedArrayBuffer>;
  readonly requests: OperationSlots;
}

export function newContentMeterSlots(): ContentMeterSlots {
  const cache = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
  return { cache, requests: newOperationSlots() };
}

/** Counts what the disk cache has, and the requests to the object store. */
export class ContentMeters {
  constructor(private readonly slots: ContentMeterSlots) {}

  /** Counts content that the disk cache had. */
  hit(): void {
    Atomics.add(this.slots.cache, HITS, 1n);
  }

  /** Counts content that the disk cache did not have. */
  missed(): void {
    Atomics.add(this.slots.cache, MISSES, 1n);
  }

  /** Counts an attempt of a request that took so many seconds. */
  requested(seconds: number, isFailed: boolean): void {
    countOperation(this.slots.requests, seconds, isFailed);
  }
}

export interface ContentFigures {
  readonly hits: number;
  readonly misses: number;
  /** Those that failed or were refused are failures. */
  readonly requests: OperationFigures;
}

export function readContentMeters({ cache, requests }: ContentMeterSlots): ContentFigures {
  return {
    hits: Number(Atomics.load(cache, HITS)),
    misses: Number(Atomics.load(cache, MISSES)),
    requests: readOperations(requests),
  };
}
