/** Counts the running uploads per owner over all threads, so that nobody can fill the spool. */
export interface Uploads {
  /**
   * Starts an upload of an owner. Throws `too_many_requests` if theirs are too many, and `unavailable` if those of
   * all owners are.
   */
  begin(ownerId: number): UploadUnderWay;
}

export interface UploadUnderWay {
  /**
   * Adds bytes to the owner's uploads. Throws `too_many_requests` if several uploads together are too large;
   * a single one never is.
   */
  add(bytes: number): void;
  /** Idempotent. */
  end(): void;
}
