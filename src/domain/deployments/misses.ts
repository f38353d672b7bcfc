import { ownCopy } from "../own-copy.ts";

/** Fewer patterns are compared in less time than it takes to remember the outcome. */
const MIN_PATTERNS = 20;
const MAX_ADDRESS_LENGTH = 200;

/**
 * Addresses that no rule fits. A site may have hundreds of patterns, and a page, an asset or a missing file is asked for
 * again and again. As many are remembered as there are patterns: they cost memory in proportion to the rules.
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
    // To tell which ones come again would cost more than to compare them once more.
    if (this.#addresses.size >= this.#limit) this.#addresses.clear();
    this.#addresses.add(ownCopy(address));
  }
}
