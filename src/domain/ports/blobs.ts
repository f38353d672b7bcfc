/** How a stored representation is encoded; `identity` is the content itself. */
export type Encoding = "identity" | "zstd" | "br" | "gzip";

/**
 * The content store: bytes under their SHA-256. Content is written once, never changed, and shared by all sites.
 * That content exists here proves nothing: only the store's row for it says that it is whole and durable.
 */
export interface Blobs {
  /** Returns the file that holds the content, whether or not it exists: for the content addressed by a lower-case hex digest. */
  path(digest: string, encoding?: Encoding): string;

  /**
   * Writes content under its digest. Content that is already there is replaced by the same bytes in one step,
   * so that a reader sees it whole at every moment. Durable only after `sync`. Throws `disk_full`.
   */
  write(digest: string, content: Uint8Array, encoding?: Encoding): void;

  /** Makes everything written so far survive a power cut. */
  sync(): Promise<void>;

  /** Sets content aside that nothing refers to, so that `restore` can bring it back until `purge`. Missing content is no error. */
  discard(digest: string): void;
  restore(digest: string): void;
  purge(): void;

  /** Yields the digests of all content there is, in no particular order. */
  list(): AsyncIterable<{ digest: string; modifiedAt: number; size: number }>;
}
