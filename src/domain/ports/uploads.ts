/** Counts the uploads that are under way, for each owner and over all threads, so that nobody fills the spool. */
export interface Uploads {
  /**
   * Begins an upload for an owner. Throws `too_many_requests` where theirs are too many, and `unavailable` where those of
   * all together are.
   */
  begin(ownerId: number): UploadUnderWay;
}

export interface UploadUnderWay {
  /**
   * Counts further bytes for the owner, until the end. Throws `too_many_requests` where their uploads would be too large
   * together; a single one is never.
   */
  add(bytes: number): void;
  /** May be called again. */
  end(): void;
}
