/** 2^12 registers: the standard error of large counts is 1.6 %. */
const INDEX_BITS = 12;
const REGISTERS = 2 ** INDEX_BITS;
const RANK_BITS = 32 - INDEX_BITS;
/** Up to this number the hashes themselves are stored and the count is exact. Beyond it the registers are smaller. */
const MAX_EXACT = REGISTERS / 4 - 1;

/**
 * Estimates the number of unique visitors without storing them: exact salted hashes for small counts,
 * then HyperLogLog (Flajolet et al., 2007). A sketch never grows beyond 4 KiB, and sketches of several threads merge
 * without loss.
 */
export class VisitorSketch {
  #hashes: Set<number> | null = new Set();
  #registers = new Uint8Array(0);

  /** `hash` is a uniformly distributed 32-bit number. Idempotent. */
  add(hash: number): void {
    if (this.#hashes === null) {
      this.#raise(hash >>> RANK_BITS, rankOf(hash));
      return;
    }
    this.#hashes.add(hash);
    if (this.#hashes.size > MAX_EXACT) this.#useRegisters(this.#hashes);
  }

  merge(other: VisitorSketch): void {
    if (other.#hashes !== null) {
      for (const hash of other.#hashes) this.add(hash);
      return;
    }
    if (this.#hashes !== null) this.#useRegisters(this.#hashes);
    for (const [index, rank] of other.#registers.entries()) this.#raise(index, rank);
  }

  estimate(): number {
    if (this.#hashes !== null) return this.#hashes.size;
    let sum = 0;
    let zeros = 0;
    for (const rank of this.#registers) {
      sum += 2 ** -rank;
      if (rank === 0) zeros += 1;
    }
    const raw = (0.7213 / (1 + 1.079 / REGISTERS)) * (REGISTERS ** 2 / sum);
    const isSmall = raw <= 2.5 * REGISTERS && zeros > 0;
    return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / zeros) : raw);
  }

  /** The registers, one byte each; or the hashes, four bytes each, which are always shorter in total. */
  toBytes(): Uint8Array {
    if (this.#hashes === null) return this.#registers.slice();
    const view = new DataView(new ArrayBuffer(this.#hashes.size * 4));
    let at = 0;
    for (const hash of this.#hashes) {
      view.setUint32(at, hash);
      at += 4;
    }
    return new Uint8Array(view.buffer);
  }

  static fromBytes(bytes: Uint8Array): VisitorSketch {
    const sketch = new VisitorSketch();
    if (bytes.length === REGISTERS) {
      sketch.#hashes = null;
      sketch.#registers = bytes.slice();
      return sketch;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 4 <= bytes.length; at += 4) sketch.add(view.getUint32(at));
    return sketch;
  }

  // --- internal ---

  #useRegisters(hashes: ReadonlySet<number>): void {
    this.#hashes = null;
    this.#registers = new Uint8Array(REGISTERS);
    for (const hash of hashes) this.#raise(hash >>> RANK_BITS, rankOf(hash));
  }

  #raise(index: number, rank: number): void {
    if ((this.#registers[index] as number) < rank) this.#registers[index] = rank;
  }
}

/** The position of the first 1 bit after the register index. */
function rankOf(hash: number): number {
  const rest = hash & (2 ** RANK_BITS - 1);
  return rest === 0 ? RANK_BITS + 1 : Math.clz32(rest) - INDEX_BITS + 1;
}

/** Returns a 32-bit hash (FNV-1a, then the finalizer of MurmurHash3), uniform enough for counting. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
