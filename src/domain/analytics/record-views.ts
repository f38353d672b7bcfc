import { BoundedMemo } from "../bounded-memo.ts";
import { dayOfHour, hourOf, NAMED_COUNTS, type ViewDelta } from "../model/view-delta.ts";
import { hash32 } from "../model/visitor-sketch.ts";
import type { Visitor } from "../ports/connection.ts";
import type { ViewBatch } from "../ports/store/views.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { SECOND } from "../timestamp.ts";
import { isBot } from "./bots.ts";
import { isCountry } from "./countries.ts";
import { type HourCount, type PageTally, ViewDeltas } from "./view-deltas.ts";

interface ViewPorts {
  readonly store: Pick<Store, "views">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

export interface PageView {
  readonly page: PageTally;
  readonly userAgent: string | null;
  /** The address is hashed at once and never stored. Neither is read for each view. */
  readonly visitor: Pick<Visitor, "address" | "country">;
  readonly referrer: string | null;
  readonly host: string;
  /** The length of the response body. */
  readonly bytes: number;
}

/** Counts views in the memory of one thread until they are flushed. */
export interface ViewRecorder {
  /** Adds responses that are no page views to the traffic of a site. */
  traffic(siteId: number, bytes: number): void;
  view(siteId: number, view: PageView): void;
  /** `isAsset` is true for a file that pages load or link to, by its name. */
  missing(siteId: number, path: string, userAgent: string | null, isAsset?: boolean): void;
  /**
   * Flushes the counts to the store, after an earlier flush that still runs. Counts that could not be
   * written are kept for the next flush.
   */
  flush(): Promise<void>;
}

/** Maximum number of visitors that wait for the day's salt. */
const MAX_WAITING = 10_000;
/**
 * Visitors identified per second. Reading the IP address costs as much as a fifth of a response.
 * Under a heavier load all views are counted, but unique visitors and countries become lower bounds.
 */
const MAX_LOOKUPS = 1000;
/**
 * Names written in one batch: 37,000 names of a thousand busy sites would block visitors for 140 ms every ten
 * seconds; a batch takes 15 ms. Only the last batch waits for the disk.
 */
const NAMES_AT_ONCE = 4000;
/** Adding the counts of a day and an hour of a site takes as long as this many names. */
const NAMES_OF_COUNTS = 20;
/** There are a few thousand browser versions. */
const MAX_KNOWN_AGENTS = 5000;

export function makeViewRecorder(ports: ViewPorts): ViewRecorder {
  const deltas = new ViewDeltas();
  const visitors = new VisitorHashes(ports);
  const lookups = new Budget();
  const agents = new BoundedMemo<string | null, Agent>(MAX_KNOWN_AGENTS);
  const flushDeltas = flushInBatches(ports, deltas);
  const flush = async () => {
    await visitors.settle();
    await flushDeltas();
  };
  let flushing = Promise.resolve();
  const current = (siteId: number) => deltas.of(siteId, hourOf(ports.clock.now()));

  return {
    traffic(siteId, bytes) {
      if (bytes > 0) current(siteId).bytes += bytes;
    },

    view(siteId, view) {
      const now = ports.clock.now();
      const count = deltas.of(siteId, hourOf(now));
      count.bytes += view.bytes;
      const agent = agents.get(view.userAgent, describe);
      if (agent.isBot) {
        count.botViews += 1;
        return;
      }
      count.views += 1;
      count.countPage(view.page);
      const referrer = view.referrer === null ? null : referringHost(view.referrer);
      if (referrer !== null && referrer !== view.host) count.countName("referrer", referrer);
      if (!lookups.allow(now)) return;
      visitors.add(count, `${view.visitor.address} ${agent.hash}`);
      const { country } = view.visitor;
      if (country !== null && isCountry(country)) count.countName("country", country);
    },

    missing(siteId, path, userAgent, isAsset = false) {
      if (agents.get(userAgent, describe).isBot) return;
      const now = ports.clock.now();
      const count = deltas.of(siteId, hourOf(now));
      count.countName("missing", path);
      if (!isAsset) return;
      count.countName("lost", path);
      count.lostAt = now;
    },

    flush() {
      flushing = flushing.then(flush, flush);
      return flushing;
    },
  };
}

// --- internal ---

interface Batch {
  readonly id: ViewBatch;
  readonly deltas: readonly ViewDelta[];
}

/** Returns a function that writes the deltas to the store in batches. Counts that could not be written are kept. */
function flushInBatches({ store: { views }, secrets, pause }: ViewPorts, deltas: ViewDeltas): () => Promise<void> {
  const writer = secrets.random(16).toHex();
  let batches = 0;
  let failed: Batch | null = null;
  return async () => {
    const taken = deltas.take();
    // A batch that failed is repeated unchanged, because it may have been added nevertheless.
    let batch = failed;
    failed = null;
    for (let from = 0; batch !== null || from < taken.length; await pause()) {
      if (batch === null) {
        const end = endOfPart(taken, from);
        batch = { id: { writer, number: ++batches }, deltas: taken.slice(from, end) };
        from = end;
      }
      try {
        const isLast = from === taken.length;
        await (isLast ? views.add(batch.deltas, batch.id) : views.addRelaxed(batch.deltas, batch.id));
      } catch (error) {
        failed = batch;
        deltas.putBack(taken.slice(from));
        throw error;
      }
      batch = null;
    }
  };
}

/** Returns the end of the batch that begins at `from`: at least one delta, and at most the names of one batch. */
function endOfPart(deltas: readonly ViewDelta[], from: number): number {
  let names = 0;
  for (let end = from; end < deltas.length; end++) {
    names += NAMES_OF_COUNTS;
    for (const kind of NAMED_COUNTS) names += deltas[end]!.named[kind].size;
    if (names > NAMES_AT_ONCE) return Math.max(end, from + 1);
  }
  return deltas.length;
}

/** Memoized by user agent, because computing either takes longer than the rest of a count. */
interface Agent {
  readonly isBot: boolean;
  readonly hash: number;
}

function describe(userAgent: string | null): Agent {
  return { isBot: isBot(userAgent), hash: hash32(userAgent ?? "") };
}

/**
 * Hashes visitors with the day's salt, which all threads share, so that a visitor of two threads is counted once.
 * Visitors are queued until the salt is read.
 */
class VisitorHashes {
  #salt = "";
  #day = -1;
  #loading: Promise<void> | null = null;
  #waiting: { readonly count: HourCount; readonly visitor: string }[] = [];

  constructor(private readonly ports: ViewPorts) {}

  add(count: HourCount, visitor: string): void {
    const day = dayOfHour(count.hour);
    if (day === this.#day) count.visitors.add(hash32(this.#salt + visitor));
    else if (this.#waiting.length < MAX_WAITING) {
      this.#waiting.push({ count, visitor });
      this.#loading ??= this.#load(day);
    }
  }

  /** Resolves when the queue is empty. */
  async settle(): Promise<void> {
    await this.#loading;
  }

  async #load(day: number): Promise<void> {
    const { store, secrets } = this.ports;
    try {
      this.#salt = await store.views.salt(day, secrets.sha256(secrets.random(32).join()));
      this.#day = day;
      for (const { count, visitor } of this.#waiting) count.visitors.add(hash32(this.#salt + visitor));
    } catch {
      // The store fails, which the flush reports. The queued views count, but not as visitors.
    } finally {
      this.#waiting = [];
      this.#loading = null;
    }
  }
}

/** Limits look-ups per second. */
class Budget {
  #second = 0;
  #left = 0;

  allow(now: number): boolean {
    const second = Math.floor(now / SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#left = MAX_LOOKUPS;
    }
    this.#left -= 1;
    return this.#left >= 0;
  }
}

/** Returns the host of the referrer. The full URL could reveal private information about the visitor. */
function referringHost(referrer: string): string | null {
  return /^https?:\/\/([a-z0-9.-]{1,253})(?::\d+)?(?:[/?#]|$)/i.exec(referrer)?.[1]?.toLowerCase() ?? null;
}
