import { ownCopy } from "../own-copy.ts";
import { DAY } from "../timestamp.ts";
import { VisitorSketch } from "./visitor-sketch.ts";

/** What is counted by name, for each site and day. */
export const NAMED_COUNTS = ["page", "referrer", "missing"] as const;
export type NamedCount = (typeof NAMED_COUNTS)[number];

/** How many names of each kind are kept for a site and day; what comes after is in the totals alone. */
export const MAX_NAMES: Readonly<Record<NamedCount, number>> = { page: 500, referrer: 200, missing: 200 };

/** Longer names are cut: they come from strangers. */
const MAX_NAME_LENGTH = 200;

/** What one thread counted for a site on a day since it last wrote it down. */
export interface ViewDelta {
  readonly siteId: number;
  /** Days since the epoch, UTC. */
  readonly day: number;
  readonly views: number;
  readonly botViews: number;
  readonly bytes: number;
  readonly visitors: VisitorSketch;
  readonly named: Readonly<Record<NamedCount, ReadonlyMap<string, number>>>;
}

/** Returns the day of a moment: days since the epoch, UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY);
}

/**
 * How often a page of one site was viewed since that was last put among the names: whoever keeps it counts without looking
 * a name up.
 */
export class PageTally {
  views = 0;
  readonly path: string;

  constructor(path: string) {
    this.path = ownCopy(shortened(path));
  }
}

/** Strangers' paths have a tally each time: so many are kept apart before they are put together by name. */
const MAX_TALLIES = 1000;

/** One site and day while it is counted. */
export class DayCount implements ViewDelta {
  views = 0;
  botViews = 0;
  bytes = 0;
  readonly visitors = new VisitorSketch();
  readonly named: Readonly<Record<NamedCount, Map<string, number>>> = {
    page: new Map(),
    referrer: new Map(),
    missing: new Map(),
  };
  /** What has been viewed since the names were last complete. */
  #tallies: PageTally[] = [];

  constructor(
    readonly siteId: number,
    readonly day: number,
  ) {}

  countPage(tally: PageTally): void {
    if (tally.views === 0) {
      if (this.#tallies.length === MAX_TALLIES) this.settle();
      this.#tallies.push(tally);
    }
    tally.views += 1;
  }

  /** Puts among the names what tallies hold; before that, these lack it. */
  settle(): void {
    for (const tally of this.#tallies) {
      this.countName("page", tally.path, tally.views);
      tally.views = 0;
    }
    this.#tallies = [];
  }

  countName(kind: NamedCount, name: string, count = 1): void {
    const names = this.named[kind];
    const short = shortened(name);
    const before = names.get(short);
    if (before !== undefined) names.set(short, before + count);
    else if (names.size < MAX_NAMES[kind]) names.set(ownCopy(short), count);
  }

  add(delta: ViewDelta): void {
    this.views += delta.views;
    this.botViews += delta.botViews;
    this.bytes += delta.bytes;
    this.visitors.merge(delta.visitors);
    for (const kind of NAMED_COUNTS) for (const [name, count] of delta.named[kind]) this.countName(kind, name, count);
  }
}

/** The counts of one thread that nobody has written down yet. */
export class ViewDeltas {
  #counts = new Map<number, DayCount>();
  #day = -1;
  /** What is complete, and was not taken yet: of days that have ended. */
  #closed: ViewDelta[] = [];

  /** Returns the count of a site for a day, to be added to. Days come in order. */
  of(siteId: number, day: number): DayCount {
    if (day !== this.#day) this.#beginDay(day);
    let count = this.#counts.get(siteId);
    if (count === undefined) {
      count = new DayCount(siteId, day);
      this.#counts.set(siteId, count);
    }
    return count;
  }

  /** Takes everything out, to be written down. */
  take(): readonly ViewDelta[] {
    this.#close();
    const taken = this.#closed;
    this.#closed = [];
    return taken;
  }

  /** Puts back what could not be written down. */
  putBack(deltas: readonly ViewDelta[]): void {
    for (const delta of deltas) {
      if (delta.day === this.#day) this.of(delta.siteId, delta.day).add(delta);
      else this.#closed.push(delta);
    }
  }

  #beginDay(day: number): void {
    this.#close();
    this.#day = day;
  }

  #close(): void {
    for (const count of this.#counts.values()) {
      count.settle();
      this.#closed.push(count);
    }
    this.#counts = new Map();
  }
}

// --- internal ---

function shortened(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;
}
