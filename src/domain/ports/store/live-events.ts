import type { LiveEvent, SiteAudience } from "../../model/live-event.ts";

/**
 * The log of the event streams. Every visible change adds its events in its own transaction. The log has the order of
 * the changes over all threads and processes, and keeps only recent events for clients that reconnect.
 */
export interface LiveEventStore {
  /** Returns the id of the newest event, even if it was deleted; 0 before the first. */
  newestId(): Promise<number>;

  /**
   * Returns the events after `id`, oldest first, at most `limit`. Null if the log is incomplete: one of them is older
   * than `maxAge` milliseconds or was deleted, or `id` does not exist yet.
   */
  after(id: number, maxAge: number, limit: number): Promise<readonly LiveEvent[] | null>;

  /** Returns the users who can see a site; null if it was deleted. */
  audienceOf(siteId: number, now: number): Promise<SiteAudience | null>;

  /**
   * Calls `listener` soon after events were added by anybody; spurious calls are possible. Returns a function that
   * stops this. Costs nothing while nobody watches.
   */
  watch(listener: () => void): () => void;

  /** Deletes events older than `maxAge` milliseconds, and all but the newest `most`. Returns their number. */
  deleteOld(maxAge: number, most: number): Promise<number>;
}
