/** Counts the open event streams of each session over all threads. */
export interface StreamPlaces {
  /**
   * Takes a place, and returns what gives it back, which is idempotent. Throws `too_many_requests` if the session has
   * too many, and `unavailable` if there are too many of all sessions.
   */
  take(sessionId: number): () => void;
}
