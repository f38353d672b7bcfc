import { LRUCache } from "lru-cache";
import type { PreparedFile } from "./prepared-file.ts";

/** Values up to a number of bytes. Those that were used longest ago are evicted first. */
export class Cache<Value extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, Value>;
  readonly #maxEntryBytes: number;

  /** One value may take up to `maxShare` of it. */
  constructor(maxBytes: number, maxShare = 0.25) {
    this.#maxEntryBytes = Math.max(1, Math.floor(maxBytes * maxShare));
    this.#entries = new LRUCache({ maxSize: Math.max(1, Math.floor(maxBytes)) });
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** Whether a value of so many bytes is kept at all. */
  fits(bytes: number): boolean {
    return bytes <= this.#maxEntryBytes;
  }

  /** Keeps a value that takes `bytes` of memory, if it fits, instead of an earlier one. */
  set(key: string, value: Value, bytes: number): void {
    if (this.fits(bytes)) this.#entries.set(key, value, { size: bytes + ENTRY_BYTES });
    else this.#entries.delete(key);
  }
}

/** What visitors are sent: prepared files by address, and content by digest and encoding. */
export type ContentCache = Cache<PreparedFile | Blob>;

/** The memory of an entry besides key and value, measured. */
const ENTRY_BYTES = 400;
