import { NAMED_COUNTS, type NamedCount, type ViewDelta } from "../model/view-delta.ts";
import { VisitorSketch } from "../model/visitor-sketch.ts";
import { ownCopy } from "../own-copy.ts";

/** Maximum names of each kind per site and day. Further names count in the totals only. */
export const MAX_NAMES: Readonly<Record<NamedCount, number>> = {
  page: 500,
  referrer: 200,
  missing: 200,
  lost: 100,
  country: 300,
};

/** Longer names are truncated, because visitors choose them. */
const MAX_NAME_LENGTH = 200;

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
  lostAt = 0;
  readonly visitors = new VisitorSketch();
  readonly named: Readonly<Record<NamedCount, Map<string, number>>> = {
    page: new Map(),
    referrer: new Map(),
    missing: new Map(),
    lost: new Map(),
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
    this.lostAt = Math.max(this.lostAt, delta.lostAt);
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
