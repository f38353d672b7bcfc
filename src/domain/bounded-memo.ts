/**
 * A cache for a few frequent keys. When it holds `limit` entries it is
 * cleared, so that a flood of invented keys cannot fill the memory; tracking the frequent keys would cost more
 * than recomputing them. Long keys are not cached. Values are never `undefined`.
 */
export class BoundedMemo<Key, Value extends NonNullable<unknown> | null> {
  readonly #limit: number;
  readonly #known = new Map<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Returns the cached value, or computes it with `make`. Errors of `make` are not cached. */
  get(key: Key, make: (key: Key) => Value): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (typeof key === "string" && key.length > MAX_KEY_LENGTH) return value;
    if (this.#known.size >= this.#limit) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}

/** Longer than any cached header field of a browser; other clients may send 16 kB. */
export const MAX_KEY_LENGTH = 512;
