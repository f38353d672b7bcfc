import type { Server } from "bun";
import { addressSubject } from "../domain/limits/rate-limit.ts";

/** The memory that running responses hold for slow clients, shared by all threads. */
export interface ResponseMemoryTable {
  /** In KiB, like all counts. */
  readonly limit: number;
  /** Held for all clients. */
  readonly total: Int32Array<SharedArrayBuffer>;
  /** Held for each client, by a hash of its address. */
  readonly byClient: Int32Array<SharedArrayBuffer>;
  /** Random, so that nobody can compute which clients share a slot. */
  readonly seed: number;
}

/** Two clients with the same slot share its memory. With a thousand clients at once, one in sixteen does. */
const SLOTS = 16_384;

/** The interval at which a thread checks which of its responses have ended. */
const CHECK_INTERVAL_MS = 1000;
/** Each new response checks a few others, so that ended ones do not add up; before a refusal it checks more. */
const CHECKS = 4;
const CHECKS_BEFORE_REFUSAL = 64;

export function newResponseMemoryTable(bytes: number): ResponseMemoryTable {
  const counts = (length: number) => new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
  const seed = Math.floor(Math.random() * 2 ** 32);
  return { limit: Math.floor(bytes / 1024), total: counts(1), byClient: counts(SLOTS), seed };
}

/** A response that holds memory. */
interface Held {
  readonly request: Request;
  readonly server: AddressOf;
  readonly slot: number;
  readonly kibibytes: number;
}

/** Returns null for a request that has ended. Nothing else shows that a file was sent completely. */
type AddressOf = Pick<Server<undefined>, "requestIP">;

/**
 * One thread's view of the table. A client never holds more than is left for the others: a single one gets half of the
 * memory, and there is always some left for a new one.
 */
export class ResponseMemory {
  readonly #held: Held[] = [];
  #next = 0;
  #timer: Timer | null = null;

  constructor(private readonly table: ResponseMemoryTable) {}

  /**
   * Reserves bytes for a response until its request has ended. Returns false if they are not available within this
   * share of the memory.
   */
  take(request: Request, server: AddressOf, address: string, bytes: number, share = 1): boolean {
    const slot = Bun.hash.xxHash32(addressSubject(address), this.table.seed) % SLOTS;
    const kibibytes = Math.ceil(bytes / 1024);
    this.#releaseEnded(CHECKS);
    if (!this.#reserve(slot, kibibytes, share)) {
      this.#releaseEnded(CHECKS_BEFORE_REFUSAL);
      if (!this.#reserve(slot, kibibytes, share)) return false;
    }
    this.#held.push({ request, server, slot, kibibytes });
    this.#timer ??= setInterval(() => this.#checkAll(), CHECK_INTERVAL_MS).unref();
    return true;
  }

  /** Releases everything when the thread ends. */
  stop(): void {
    for (const held of this.#held.splice(0)) this.#release(held);
    this.#stopTimer();
  }

  // --- internal ---

  #reserve(slot: number, kibibytes: number, share: number): boolean {
    const { limit, total, byClient } = this.table;
    const [all, own] = [Atomics.load(total, 0), Atomics.load(byClient, slot)];
    if (own + kibibytes > limit * share - all) return false;
    // Two threads may take the rest at once. The limit is exceeded by at most one response of each.
    Atomics.add(total, 0, kibibytes);
    Atomics.add(byClient, slot, kibibytes);
    return true;
  }

  /** Checks the next responses in turn, and releases the memory of ended ones. */
  #releaseEnded(count: number): void {
    for (let left = Math.min(count, this.#held.length); left > 0; left--) {
      if (this.#next === 0) this.#next = this.#held.length;
      this.#next -= 1;
      const held = this.#held[this.#next] as Held;
      if (held.server.requestIP(held.request) !== null) continue;
      this.#release(held);
      const last = this.#held.pop() as Held;
      if (this.#next < this.#held.length) this.#held[this.#next] = last;
    }
  }

  #checkAll(): void {
    this.#next = 0;
    this.#releaseEnded(this.#held.length);
    if (this.#held.length === 0) this.#stopTimer();
  }

  #release({ slot, kibibytes }: Held): void {
    Atomics.sub(this.table.total, 0, kibibytes);
    Atomics.sub(this.table.byClient, slot, kibibytes);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
