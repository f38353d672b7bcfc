/** How a stored representation is encoded; `identity` is the content itself. */
export type Encoding = "identity" | "zstd" | "br" | "gzip";

/** Content that is being written before its digest is known. Ends with `abort`, which does nothing after `commit`. */
export interface StagedContent {
  write(chunk: Uint8Array): void;
  /** Puts the content in its place, whole, in one step. Durable only after `sync`. */
  commit(digest: string): void;
  /** Removes what was written, unless it was committed. */
  abort(): void;
}

/** What content turned out to be when it was read. */
export interface ContentHash {
  /** SHA-256, lower-case hex. */
  readonly digest: string;
  readonly size: number;
}

/**
 * The content store: bytes under their SHA-256. Content is written once, never changed, and shared by all sites.
 * That content exists here proves nothing: only the store's row for it says that it is whole and durable.
 *
 * Whatever reads or writes throws `unavailable` when the disk fails. Whatever writes throws `disk_full`, and `unavailable` when the process has no file descriptor left.
 */
export interface ContentStore {
  /** Returns the file that holds the content of a lower-case hex digest, whether or not it exists. */
  path(digest: string, encoding?: Encoding): string;

  /** Returns the content, or an encoding of it, whole. Rejects when there is none. */
  read(digest: string, encoding?: Encoding): Promise<Uint8Array<ArrayBuffer>>;

  /**
   * Returns the same, of a size in bytes that is known, where it can be had without waiting for a disk; null where it
   * cannot, or `read` would say what is wrong. The bytes are valid until the next call.
   */
  readNow(digest: string, encoding: Encoding, size: number): Uint8Array<ArrayBuffer> | null;

  /**
   * Returns `length` bytes of the content, or of an encoding of it, from `start` on: at once where they can be had without
   * waiting for a disk. Fewer where it ends before; the bytes are the caller's. Nothing stays open in between.
   */
  readPart(
    digest: string,
    encoding: Encoding,
    start: number,
    length: number,
  ): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;

  /**
   * Writes content under its digest. Content that is already there is left or replaced by the same bytes in one step,
   * so that a reader sees it whole at every moment; it counts as modified now. Durable only after `sync`.
   */
  write(digest: string, content: Uint8Array, encoding?: Encoding): void;

  /** Begins content that is too big to hold in memory. */
  stage(): StagedContent;

  /**
   * Removes what was created through this object, for an upload that failed: a full disk must not stay full of it.
   * What somebody else wrote or took over meanwhile stays. Not for content that has a row.
   */
  undo(): void;

  /** Makes everything that was written through this object so far survive a power cut. */
  sync(): Promise<void>;

  /**
   * Deletes content with its encodings, unless it was written at or after `writtenBefore` (milliseconds since the
   * epoch): an upload may rely on it. Returns whether it is gone; missing content is.
   */
  delete(digest: string, writtenBefore: number): boolean;

  /** Removes what a crash left of staged content that was last written before `before`. */
  discardUnfinished(before: number): void;

  /**
   * Yields the digests of all content there is, and of encodings whose content is gone, in no particular order;
   * `modifiedAt` in milliseconds since the epoch.
   */
  list(): AsyncIterable<{ digest: string; modifiedAt: number; size: number }>;

  /**
   * Reads content and returns what it is; null when it is missing. A file that the disk cannot read has no digest; one
   * that this process may not read throws.
   */
  hash(digest: string): Promise<ContentHash | null>;
}
