/** What the store says of content that has a row. */
export interface StoredContent {
  /** When it was condemned: nobody may refer to it any more, and it will be deleted. Null for content that is kept. */
  readonly condemnedAt: number | null;
}

/** The rows that say which content is stored, whole and durable. */
export interface ContentRows {
  /** Returns what is known of these digests; one without a row is not in it. At most 1,000 at once. */
  find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredContent>>;

  /**
   * Returns those of these digests that nothing in the store relies on: no content has them, condemned or not, and no
   * encoding. At most 1,000 at once.
   */
  unknown(digests: readonly string[]): Promise<readonly string[]>;

  /** Yields every digest that is kept with its size, for verification. */
  list(): AsyncIterable<{ digest: string; size: number }>;

  /**
   * Condemns contents that no deployment refers to, which are no encoding of other content, and that were last published before `before`, and yields how many:
   * those among `stride` places in the order of arrival, then among the next, and so on. Each step is one change, and
   * others may write in between. Content that is written and published again is kept again.
   */
  condemnUnreferenced(before: number, at: number, stride: number): AsyncIterable<number>;

  /** Returns up to `limit` digests that were condemned before `before`, in order, those after `after`. */
  listCondemned(before: number, after: string, limit: number): Promise<readonly string[]>;

  /** Forgets those of these contents that still are condemned; to be called once they are deleted. */
  forgetCondemned(digests: readonly string[]): Promise<void>;
}
