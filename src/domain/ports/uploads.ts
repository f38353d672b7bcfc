/** Counts the running uploads per owner over all threads, so that nobody can fill the spool. */
export interface Uploads {
  /**
   * Starts an upload of an owner. Throws `too_many_requests` if the owner has too many, and `unavailable` if all owners
   * together have too many.
   */
  begin(ownerId: number): RunningUpload;
}

export interface RunningUpload {
  /**
   * Adds bytes to the owner's uploads. Throws `too_many_requests` if several uploads together are too large; a single
   * one never is.
   */
  add(bytes: number): void;
  /** Idempotent. */
  end(): void;
}
