import type { Server } from "bun";
import { addressSubject } from "../domain/rate-limit.ts";

/** What all threads share to count the memory that answers under way keep for clients that are slow to take them. */
export interface ResponseMemoryTable {
  /** How much there is, in KiB. */
  readonly limit: number;
  /** What is kept for everybody. */
  readonly total: Int32Array<SharedArrayBuffer>;
  /** What is kept for each client, by a hash of its address. */
  readonly byClient: Int32Array<SharedArrayBuffer>;
  /** So that nobody can work out who shares a place with whom. */
  readonly seed: number;
}

/** Two clients that share one have less between them, and nothing worse: with a thousand at once that is one in sixteen. */
const PLACES = 16_384;

/** How often a thread looks which of its answers have ended, in milliseconds. */
const LOOK_EVERY = 1000;
/** A new answer looks at so many, so that the ended ones of a busy thread do not add up in between; and a refused one. */
const LOOKS = 4;
const LOOKS_BEFORE_REFUSAL = 64;

export function newResponseMemoryTable(bytes: number): ResponseMemoryTable {
  const counts = (length: number) => new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
  const seed = Math.floor(Math.random() * 2 ** 32);
  return { limit: Math.floor(bytes / 1024), total: counts(1), byClient: counts(PLACES), seed };
}

/** An answer that keeps memory. */
interface Held {
  readonly request: Request;
  readonly server: AddressOf;
  readonly place: number;
  readonly kibibytes: number;
}

/** Returns null for a request that has ended: nothing else tells that a file was sent to its end. */
type AddressOf = Pick<Server<undefined>, "requestIP">;

/**
 * One thread's end of the table. One client never has more than is left for the others: one alone gets half of all, and
 * however many there are, a newcomer finds something.
 */
export class ResponseMemory {
  readonly #held: Held[] = [];
  #hand = 0;
  #timer: Timer | null = null;

  constructor(private readonly table: ResponseMemoryTable) {}

  /**
   * Takes so many bytes for an answer, until its request has ended; false where they are not to be had within this share of
   * all there is.
   */
  take(request: Request, server: AddressOf, address: string, bytes: number, share = 1): boolean {
    const place = Bun.hash.xxHash32(addressSubject(address), this.table.seed) % PLACES;
    const kibibytes = Math.ceil(bytes / 1024);
    this.#look(LOOKS);
    if (!this.#reserve(place, kibibytes, share)) {
      this.#look(LOOKS_BEFORE_REFUSAL);
      if (!this.#reserve(place, kibibytes, share)) return false;
    }
    this.#held.push({ request, server, place, kibibytes });
    this.#timer ??= setInterval(() => this.#lookAtAll(), LOOK_EVERY).unref();
    return true;
  }

  /** Gives everything back: the thread ends. */
  stop(): void {
    for (const held of this.#held.splice(0)) this.#giveBack(held);
    this.#rest();
  }

  // --- internal ---

  #reserve(place: number, kibibytes: number, share: number): boolean {
    const { limit, total, byClient } = this.table;
    const [all, own] = [Atomics.load(total, 0), Atomics.load(byClient, place)];
    if (own + kibibytes > limit * share - all) return false;
    // Two threads may take the last of it at once: the limit is passed by one answer of each at most.
    Atomics.add(total, 0, kibibytes);
    Atomics.add(byClient, place, kibibytes);
    return true;
  }

  /** Looks at so many answers, the next ones in turn, and gives back what those that have ended kept. */
  #look(count: number): void {
    for (let left = Math.min(count, this.#held.length); left > 0; left--) {
      if (this.#hand === 0) this.#hand = this.#held.length;
      this.#hand -= 1;
      const held = this.#held[this.#hand] as Held;
      if (held.server.requestIP(held.request) !== null) continue;
      this.#giveBack(held);
      const last = this.#held.pop() as Held;
      if (this.#hand < this.#held.length) this.#held[this.#hand] = last;
    }
  }

  #lookAtAll(): void {
    this.#hand = 0;
    this.#look(this.#held.length);
    if (this.#held.length === 0) this.#rest();
  }

  #giveBack({ place, kibibytes }: Held): void {
    Atomics.sub(this.table.total, 0, kibibytes);
    Atomics.sub(this.table.byClient, place, kibibytes);
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
