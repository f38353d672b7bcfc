/**
 * A byte-bounded cache that a scan cannot empty: S3-FIFO (Yang et al., SOSP 2023), with one change. There, what is asked
 * for once passes through a small queue and leaves; here, once the cache is full, only its key does. A value that was
 * kept for a moment outlives the cheap collections: under Zipf's law such values were a hundred megabytes of garbage.
 * A hit moves nothing, which is why this is cheaper than LRU, and on skewed traffic it also misses less.
 */
export class S3Fifo<Value> {
  readonly #limit: number;
  readonly #maxWeight: number;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #small = new Queue<Value>();
  readonly #main = new Queue<Value>();
  /** Keys that left the small queue lately, in two generations: forgetting one by one would cost more than it saves. */
  #ghosts = new Set<string>();
  #olderGhosts = new Set<string>();

  /** `limit` is in the same unit as the weights; one value may weigh up to `maxShare` of it. */
  constructor(limit: number, maxShare = 0.25) {
    this.#limit = limit;
    this.#maxWeight = limit * maxShare;
  }

  get weight(): number {
    return this.#small.weight + this.#main.weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.hits < MAX_HITS) entry.hits += 1;
    return entry.value;
  }

  /** Keeps the value if there is room or it was asked for not long ago, and it is not too heavy; replaces what was there. */
  set(key: string, value: Value, weight: number): void {
    this.keep(key, weight, () => value);
  }

  /** The same for a value that is made only if it is kept; returns it, or null. `weight` is at least 1. */
  keep(key: string, weight: number, make: () => Value): Value | null {
    const known = this.#entries.get(key);
    if (weight > this.#maxWeight) {
      this.delete(key);
      return null;
    }
    if (known === undefined && !this.#admits(key, weight)) {
      this.#remember(key);
      return null;
    }
    const value = make();
    if (known === undefined) this.#add(key, value, weight);
    // In its place: a shell would be left behind each time, and a queue that is never full never sheds them.
    else renew(known, value, weight);
    while (this.weight > this.#limit) this.#evictOne();
    return value;
  }

  /** The entry stays in its queue as an empty shell that weighs nothing, until its turn comes. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    entry.queue!.weight -= entry.weight;
    entry.weight = 0;
    entry.value = undefined;
  }

  // --- internal ---

  #admits(key: string, weight: number): boolean {
    return this.weight + weight <= this.#limit || this.#hasReturned(key);
  }

  #hasReturned(key: string): boolean {
    return this.#ghosts.has(key) || this.#olderGhosts.has(key);
  }

  #add(key: string, value: Value, weight: number): void {
    const entry: Entry<Value> = { key, value, weight, hits: 0, queue: null, next: null };
    this.#entries.set(key, entry);
    (this.#hasReturned(key) ? this.#main : this.#small).push(entry);
  }

  #evictOne(): void {
    if (this.#small.weight > this.#limit * SMALL_SHARE || this.#main.weight === 0) this.#evictSmall();
    else this.#evictMain();
  }

  #evictSmall(): void {
    const entry = this.#small.shift();
    if (entry === null || entry.weight === 0) return;
    if (entry.hits > 0) {
      entry.hits = 0;
      this.#main.push(entry);
      return;
    }
    this.#entries.delete(entry.key);
    this.#remember(entry.key);
  }

  #remember(key: string): void {
    this.#ghosts.add(key);
    if (this.#ghosts.size <= this.#entries.size) return;
    this.#olderGhosts = this.#ghosts;
    this.#ghosts = new Set();
  }

  #evictMain(): void {
    const entry = this.#main.shift();
    if (entry === null || entry.weight === 0) return;
    if (entry.hits > 0) {
      entry.hits -= 1;
      this.#main.push(entry);
    } else this.#entries.delete(entry.key);
  }
}

/** More hits than this say nothing more about the next one. */
const MAX_HITS = 3;
/** The share of the small queue, as in the paper. */
const SMALL_SHARE = 0.1;

interface Entry<Value> {
  readonly key: string;
  value: Value | undefined;
  weight: number;
  hits: number;
  queue: Queue<Value> | null;
  next: Entry<Value> | null;
}

function renew<Value>(entry: Entry<Value>, value: Value, weight: number): void {
  entry.queue!.weight += weight - entry.weight;
  entry.weight = weight;
  entry.value = value;
}

class Queue<Value> {
  weight = 0;
  #head: Entry<Value> | null = null;
  #tail: Entry<Value> | null = null;

  push(entry: Entry<Value>): void {
    entry.next = null;
    entry.queue = this;
    if (this.#tail === null) this.#head = entry;
    else this.#tail.next = entry;
    this.#tail = entry;
    this.weight += entry.weight;
  }

  shift(): Entry<Value> | null {
    const entry = this.#head;
    if (entry === null) return null;
    this.#head = entry.next;
    if (this.#head === null) this.#tail = null;
    this.weight -= entry.weight;
    return entry;
  }
}
