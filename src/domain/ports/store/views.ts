import type { NamedCount, ViewDelta } from "../../model/view-delta.ts";

type ViewCounts = Pick<ViewDelta, "views" | "botViews" | "bytes" | "visitors">;

/** The counts of a site on one day. */
export interface ViewDay extends ViewCounts {
  /** Days since the epoch, UTC. */
  readonly day: number;
}

/** The counts of a site in one hour. */
export interface ViewHour extends ViewCounts {
  /** Hours since the epoch, UTC. */
  readonly hour: number;
}

/** Identifies deltas over all nodes. The numbers of a writer increase. */
export interface ViewBatch {
  readonly writer: string;
  readonly number: number;
}

export interface ViewStore {
  /**
   * Adds the counts of a thread, all or nothing, to the hours, the days and the sites' `totalViews`. Deleted sites are
   * skipped. The number of names of each kind is limited per day by `MAX_NAMES`. A batch that is given again after an
   * error is added once, even if only the response to the first attempt was lost.
   */
  add(deltas: readonly ViewDelta[], batch?: ViewBatch): Promise<void>;

  /** Like `add`, without waiting for the disk: a power cut may undo it until the next `add` has made it durable too. */
  addRelaxed(deltas: readonly ViewDelta[], batch?: ViewBatch): Promise<void>;

  /** Returns the days of a site with counts, both ends included, in order. */
  days(siteId: number, from: number, to: number): Promise<readonly ViewDay[]>;

  /** Like `days`, by hour. */
  hours(siteId: number, from: number, to: number): Promise<readonly ViewHour[]>;

  /** Returns the names with the highest counts over the days, both ends included, in descending order. */
  top(
    siteId: number,
    kind: NamedCount,
    days: { readonly from: number; readonly to: number },
    limit: number,
  ): Promise<readonly { readonly name: string; readonly count: number }[]>;

  /** Returns the assets that visitors asked for most and did not get, with when the last one did. */
  lost(
    siteId: number,
    days: { readonly from: number; readonly to: number },
    limit: number,
  ): Promise<readonly { readonly path: string; readonly hits: number; readonly lastAt: number }[]>;

  /**
   * Returns the salt of a day, the same in every thread: `candidate` if there is none yet. The salts of earlier days
   * are deleted, so that hashes can no longer be traced to an address.
   */
  salt(day: number, candidate: string): Promise<string>;

  /** Deletes all counts of days before this one. */
  deleteBefore(day: number): Promise<void>;

  /** Deletes all counts by hour before this hour. Those by day stay. */
  deleteHoursBefore(hour: number): Promise<void>;
}
