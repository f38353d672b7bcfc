import type { NamedCount, ViewDelta } from "../../analytics/view-deltas.ts";
import type { VisitorSketch } from "../../analytics/visitor-sketch.ts";

interface ViewCounts {
  readonly views: number;
  readonly botViews: number;
  readonly bytes: number;
  readonly visitors: VisitorSketch;
}

/** What is known of one day of a site. */
export interface ViewDay extends ViewCounts {
  /** Days since the epoch, UTC. */
  readonly day: number;
}

/** What is known of one hour of a site. */
export interface ViewHour extends ViewCounts {
  /** Hours since the epoch, UTC. */
  readonly hour: number;
}

export interface ViewStore {
  /**
   * Adds what a thread counted, all of it or nothing, to the hours, the days and the sites' `totalViews`. Sites that are gone
   * by now are passed over. Of each kind only so many names are kept a day as the domain says.
   */
  add(deltas: readonly ViewDelta[]): Promise<void>;

  /** The same without waiting for the disk: a power cut may undo it until the next `add` has made it durable too. */
  addForgettable(deltas: readonly ViewDelta[]): Promise<void>;

  /** Returns the days of a site that anything was counted on, both ends included, in order. */
  days(siteId: number, from: number, to: number): Promise<readonly ViewDay[]>;

  /** The same by hour. */
  hours(siteId: number, from: number, to: number): Promise<readonly ViewHour[]>;

  /** Returns the names counted most over the days, both ends included, the most frequent first. */
  top(
    siteId: number,
    kind: NamedCount,
    days: { readonly from: number; readonly to: number },
    limit: number,
  ): Promise<readonly { readonly name: string; readonly count: number }[]>;

  /**
   * Returns the salt of a day, the same in every thread: `candidate` where there is none yet. The salts of earlier
   * days are forgotten, and with them every way back from a hash to an address.
   */
  salt(day: number, candidate: string): Promise<string>;

  /** Forgets all counts of days before this one. */
  forgetBefore(day: number): Promise<void>;

  /** Forgets all counts by hour of hours before this one; those by day stay. */
  forgetHoursBefore(hour: number): Promise<void>;
}
