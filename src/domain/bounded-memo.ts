/**
 * Remembers what was made for each key, for the few keys that come again and again. Once it holds `limit` of them it
 * forgets them all: a flood of invented keys must not fill the memory, and to tell the good ones apart would cost more
 * than making them anew. Long keys are not kept at all. Nothing is ever `undefined`.
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

  /** Returns what is remembered, or what `make` returns for the key, once. What `make` throws is thrown, and not kept. */
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

/** No browser's header field of those that are remembered is longer, and a field may have 16 kB. */
export const MAX_KEY_LENGTH = 512;
