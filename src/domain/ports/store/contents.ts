/** The store's data on content with a row. */
interface StoredContent {
  /** When it was condemned. Nothing may refer to it any more, and it will be deleted. Null for other content. */
  readonly condemnedAt: number | null;
}

/** The request to delete content of a deleted deployment without a grace period. */
export interface Purge {
  /** Of content, or of an encoding of it. */
  readonly digest: string;
  readonly requestedAt: number;
  /** True if a deployment refers to it again. */
  readonly isUsed: boolean;
}

/** The rows of complete and durable content. */
export interface ContentRows {
  /** Returns the rows of these digests, without those that have none. At most 1,000 at once. */
  find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredContent>>;

  /**
   * Returns those of these digests that are neither the digest of any content, condemned or not, nor of any encoding.
   * At most 1,000 at once.
   */
  unknown(digests: readonly string[]): Promise<readonly string[]>;

  /** Yields all digests with their sizes, for verification. */
  list(): AsyncIterable<{ digest: string; size: number }>;

  /**
   * Condemns contents that no deployment refers to, that are no encoding of other content, and that were last published
   * before `before`. Yields their number for each step of `stride` rows. Each step is one transaction, and others can
   * write in between. Content that is written and published again is kept.
   */
  condemnUnreferenced(before: number, at: number, stride: number): AsyncIterable<number>;

  /** Returns up to `limit` digests that were condemned before `before`, in order, starting after `after`. */
  listCondemned(before: number, after: string, limit: number): Promise<readonly string[]>;

  /** Deletes the rows of those of these contents that are still condemned. Call it once their files are deleted. */
  deleteCondemned(digests: readonly string[]): Promise<void>;

  /** Returns up to `limit` requested purges. */
  listPurges(limit: number): Promise<readonly Purge[]>;

  /** Marks purges as done, unless they were requested again since they were listed. */
  endPurges(purges: readonly Purge[], at: number): Promise<void>;

  /** Deletes the records of purges that were requested before this time and are done. */
  deletePurges(before: number): Promise<void>;
}
