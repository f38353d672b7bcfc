import { DAY, HOUR } from "../timestamp.ts";
import type { VisitorSketch } from "./visitor-sketch.ts";

/** The kinds of names that are counted per site and day. A lost asset is a missing path that pages load or link to. */
export const NAMED_COUNTS = ["page", "referrer", "missing", "lost", "country"] as const;

export type NamedCount = (typeof NAMED_COUNTS)[number];

/** The counts of one thread for a site and hour since the last flush. */
export interface ViewDelta {
  readonly siteId: number;
  /** Hours since the epoch, UTC. */
  readonly hour: number;
  readonly views: number;
  readonly botViews: number;
  readonly bytes: number;
  readonly visitors: VisitorSketch;
  /** When the latest of the lost assets was requested, in epoch milliseconds; 0 without any. */
  readonly lostAt: number;
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
