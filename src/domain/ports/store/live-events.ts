import type { LiveEvent, SiteAudience } from "../../events/live-event.ts";

/**
 * The log behind the event streams. Every change of what people may see adds its events in its own transaction. The log
 * orders them as the changes were made, over all threads and processes, and keeps only what a short pause may miss.
 */
export interface LiveEventStore {
  /** Returns the id of the newest event, also if it has been dropped; 0 before the first. */
  newestId(): Promise<number>;

  /**
   * Returns the events after `id`, oldest first, `limit` at most. Null where the log cannot tell: one of them is older
   * than `maxAge` milliseconds or has been dropped, or `id` is not yet given.
   */
  after(id: number, maxAge: number, limit: number): Promise<readonly LiveEvent[] | null>;

  /** Returns who may see a site; null once it is gone. */
  audienceOf(siteId: number): Promise<SiteAudience | null>;

  /**
   * Calls `listener` soon after events were added, by whomever; it may be called for nothing. Returns a function that
   * ends this. Costs nothing while nobody watches.
   */
  watch(listener: () => void): () => void;

  /** Drops events older than `maxAge` milliseconds, and all but the newest `most`. Returns how many. */
  drop(maxAge: number, most: number): Promise<number>;
}
