/** The rows that say which content is stored, whole and durable. */
export interface ContentStore {
  /** Whether the content may be relied on. Synchronous: it is asked once per file while unpacking. */
  knows(digest: string): boolean;

  /** Yields every digest the store knows with its size, for verification. */
  list(): AsyncIterable<{ digest: string; size: number }>;

  /**
   * Yields the digests of contents that no deployment refers to and that were last published before `before`: those
   * among `stride` places in the order of arrival, among the next, and so on; none, mostly: places of forgotten
   * contents stay empty. Others may write in between.
   */
  listUnreferenced(before: number, stride: number): AsyncIterable<readonly string[]>;

  /**
   * Forgets those of these contents of which that still holds, and calls `discard` for each inside the same transaction;
   * returns their digests. If it fails, nothing is forgotten.
   */
  forgetUnreferenced(
    digests: readonly string[],
    before: number,
    discard: (digest: string) => void,
  ): Promise<readonly string[]>;
}
