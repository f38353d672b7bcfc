/** The rows that say which content is stored, whole and durable. */
export interface ContentStore {
  /** Whether the content may be relied on. Synchronous: it is asked once per file while unpacking. */
  knows(digest: string): boolean;

  /** Yields every digest the store knows with its size, for verification. */
  list(): AsyncIterable<{ digest: string; size: number }>;

  /**
   * Forgets up to `limit` contents that no deployment refers to and that were last published before `before`, and
   * calls `discard` for each inside the same transaction; returns the digests. If it fails, nothing is forgotten.
   */
  forgetUnreferenced(before: number, limit: number, discard: (digest: string) => void): Promise<readonly string[]>;
}
