/** Counts the open event streams of each session over all threads. */
export interface StreamSlots {
  /**
   * Takes a slot, and returns an idempotent function that releases it. Throws `too_many_requests` if the session has
   * too many, and `unavailable` if there are too many of all sessions.
   */
  take(sessionId: number): () => void;
}
