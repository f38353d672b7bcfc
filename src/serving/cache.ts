import { LRUCache } from "lru-cache";
import type { PreparedFile } from "./prepared-file.ts";

/**
 * Values up to a number of bytes. Those that were used longest ago are evicted first. A full cache admits a key only when
 * it is missed again soon: otherwise a scan would replace all values, and what they leave behind until it is collected
 * would take several times the memory of the cache.
 */
export class Cache<Value extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, Value>;
  readonly #refused = new Set<string>();
  readonly #maxBytes: number;
  readonly #maxEntryBytes: number;

  /** One value may take up to `maxShare` of it. */
  constructor(maxBytes: number, maxShare = 0.25) {
    this.#maxBytes = Math.max(1, Math.floor(maxBytes));
    this.#maxEntryBytes = this.#maxBytes * maxShare;
    this.#entries = new LRUCache({ maxSize: this.#maxBytes });
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** Returns whether to keep a value of so many bytes, and remembers a key that is refused. */
  admits(key: string, bytes: number): boolean {
    if (bytes > this.#maxEntryBytes) return false;
    const isFull = this.#entries.calculatedSize + bytes + ENTRY_BYTES > this.#maxBytes;
    if (!isFull || this.#entries.has(key) || this.#refused.delete(key)) return true;
    this.#refused.add(key);
    const [oldest] = this.#refused;
    if (this.#refused.size > Math.min(this.#entries.size, MAX_REFUSED)) this.#refused.delete(oldest as string);
    return false;
  }

  /** Keeps a value that takes `bytes` of memory and was admitted, instead of an earlier one. */
  set(key: string, value: Value, bytes: number): void {
    this.#entries.set(key, value, { size: bytes + ENTRY_BYTES });
  }
}

/** What visitors are sent: prepared files by address, and content by digest. */
export type ContentCache = Cache<PreparedFile | Blob>;

/** The memory of an entry besides key and value, measured. */
const ENTRY_BYTES = 400;

/** Refused keys that are remembered, but no more than there are entries. */
const MAX_REFUSED = 4000;
