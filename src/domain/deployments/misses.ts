import { ownCopy } from "../own-copy.ts";

/** Comparing fewer patterns is faster than a cache look-up. */
const MIN_PATTERNS = 20;
const MAX_ADDRESS_LENGTH = 200;

/**
 * A cache of paths that no rule matches. A site may have hundreds of patterns, and the same paths are requested
 * repeatedly. It holds as many paths as there are patterns, so that its memory is proportional to the rules.
 */
export class Misses {
  readonly #limit: number;
  readonly #addresses = new Set<string>();

  constructor(patterns: number) {
    this.#limit = patterns < MIN_PATTERNS ? 0 : patterns;
  }

  has(address: string): boolean {
    return this.#addresses.has(address);
  }

  add(address: string): void {
    if (this.#limit === 0 || address.length > MAX_ADDRESS_LENGTH) return;
    // Tracking which paths are frequent would cost more than comparing them again.
    if (this.#addresses.size >= this.#limit) this.#addresses.clear();
    this.#addresses.add(ownCopy(address));
  }
}
