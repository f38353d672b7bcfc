import { ownCopy } from "../own-copy.ts";
import { DAY, HOUR } from "../timestamp.ts";
import { VisitorSketch } from "./visitor-sketch.ts";

/** The kinds of names that are counted per site and day. */
export const NAMED_COUNTS = ["page", "referrer", "missing", "country"] as const;
export type NamedCount = (typeof NAMED_COUNTS)[number];

/** Maximum names of each kind per site and day. Further names count in the totals only. */
export const MAX_NAMES: Readonly<Record<NamedCount, number>> = {
  page: 500,
  referrer: 200,
  missing: 200,
  country: 300,
};

/** Longer names are truncated, because visitors choose them. */
const MAX_NAME_LENGTH = 200;

/** The counts of one thread for a site and hour since the last flush. */
export interface ViewDelta {
  readonly siteId: number;
  /** Hours since the epoch, UTC. */
  readonly hour: number;
  readonly views: number;
  readonly botViews: number;
  readonly bytes: number;
  readonly visitors: VisitorSketch;
  readonly named: Readonly<Record<NamedCount, ReadonlyMap<string, number>>>;
}

/** Returns the days since the epoch, UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY);
}

/** Returns the hours since the epoch, UTC. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR);
}

/** Returns the day of an hour; both count from the epoch, UTC. */
export function dayOfHour(hour: number): number {
  return Math.floor(hour / HOURS_OF_DAY);
}

export const HOURS_OF_DAY = DAY / HOUR;

/**
 * A counter for one page that a caller can keep, so that counting needs no map look-up. It is added to the names
 * later.
 */
export class PageTally {
  views = 0;
  readonly path: string;

  constructor(path: string) {
    this.path = ownCopy(shortened(path));
  }
}

/** Uncached paths create a tally per view: this many are collected before they are merged by name. */
const MAX_TALLIES = 1000;

/** The counts of one site and hour. */
export class HourCount implements ViewDelta {
  views = 0;
  botViews = 0;
  bytes = 0;
  readonly visitors = new VisitorSketch();
  readonly named: Readonly<Record<NamedCount, Map<string, number>>> = {
    page: new Map(),
    referrer: new Map(),
    missing: new Map(),
    country: new Map(),
  };
  /** Tallies that are not merged into the names yet. */
  #tallies: PageTally[] = [];

  constructor(
    readonly siteId: number,
    readonly hour: number,
  ) {}

  countPage(tally: PageTally): void {
    if (tally.views === 0) {
      if (this.#tallies.length === MAX_TALLIES) this.settle();
      this.#tallies.push(tally);
    }
    tally.views += 1;
  }

  /** Merges the tallies into the names. */
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

/** The unflushed counts of one thread. */
export class ViewDeltas {
  #counts = new Map<number, HourCount>();
  #hour = -1;
  /** Unflushed counts of hours that have ended. */
  #closed: ViewDelta[] = [];

  /** Returns the counts of a site and hour for update. */
  of(siteId: number, hour: number): HourCount {
    if (hour !== this.#hour) this.#beginHour(hour);
    let count = this.#counts.get(siteId);
    if (count === undefined) {
      count = new HourCount(siteId, hour);
      this.#counts.set(siteId, count);
    }
    return count;
  }

  /** Removes and returns everything, for a flush. */
  take(): readonly ViewDelta[] {
    this.#close();
    const taken = this.#closed;
    this.#closed = [];
    return taken;
  }

  /** Restores what could not be flushed. */
  putBack(deltas: readonly ViewDelta[]): void {
    for (const delta of deltas) {
      if (delta.hour === this.#hour) this.of(delta.siteId, delta.hour).add(delta);
      else this.#closed.push(delta);
    }
  }

  #beginHour(hour: number): void {
    this.#close();
    this.#hour = hour;
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
