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

  constructor(
    readonly siteId: number,
    readonly day: number,
  ) {}

  countName(kind: NamedCount, name: string, count = 1): void {
    const names = this.named[kind];
    const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;
    const before = names.get(short);
    if (before === undefined && names.size >= MAX_NAMES[kind]) return;
    names.set(short, (before ?? 0) + count);
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
  /** Counts of days that have ended since the last `take`. */
  #ended: ViewDelta[] = [];

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
    const taken = [...this.#ended, ...this.#counts.values()];
    this.#ended = [];
    this.#counts = new Map();
    return taken;
  }

  /** Puts back what could not be written down. */
  putBack(deltas: readonly ViewDelta[]): void {
    for (const delta of deltas) {
      if (delta.day === this.#day) this.of(delta.siteId, delta.day).add(delta);
      else this.#ended.push(delta);
    }
  }

  #beginDay(day: number): void {
    this.#ended.push(...this.#counts.values());
    this.#counts = new Map();
    this.#day = day;
  }
}
