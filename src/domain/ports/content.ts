/** How a stored representation is encoded; `identity` is the content itself. */
export type Encoding = "identity" | "zstd" | "br" | "gzip";

/** The bytes from `start` to before `end`. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Content that is being written before its digest is known. Ends with `abort`, which does nothing after `commit`. */
export interface StagedContent {
  write(chunk: Uint8Array): Promise<void>;
  /** Puts the content in its place, whole, in one step. Durable only after `sync`. */
  commit(digest: string): Promise<void>;
  /** Removes what was written, unless it was committed. */
  abort(): Promise<void>;
}

/** What content turned out to be when it was read. */
export interface ContentHash {
  /** SHA-256, lower-case hex. */
  readonly digest: string;
  readonly size: number;
}

export interface ContentInfo {
  readonly size: number;
  /** In milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/**
 * The content store: bytes under their SHA-256. Content is written once, never changed, and shared by all sites.
 * That content exists here proves nothing: only the store's row for it says that it is whole and durable.
 *
 * Whatever reads or writes rejects with `unavailable` when the disk fails. Whatever writes rejects with `disk_full`, and
 * with `unavailable` when the process has no file descriptor left.
 */
export interface ContentStore {
  /**
   * Reads content, or an encoding of it: whole, or what there is of a span. Rejects when there is none. Nothing stays
   * open in between.
   */
  read(digest: string, encoding?: Encoding, span?: ByteSpan): Promise<Uint8Array<ArrayBuffer>>;

  /** Returns the same to be sent to a client without passing through memory. Sending it fails when there is none. */
  open(digest: string, encoding?: Encoding): Promise<Blob>;

  /** Returns null when there is no such content. */
  stat(digest: string): Promise<ContentInfo | null>;

  /**
   * Reads content and returns what it is; null when it is missing. Content that the disk cannot read has no digest; for
   * content that this process may not read it rejects.
   */
  hash(digest: string): Promise<ContentHash | null>;

  /**
   * Writes content under its digest. Content that is already there is left or replaced by the same bytes in one step,
   * so that a reader sees it whole at every moment; it counts as modified now. Durable only after `sync`.
   */
  put(digest: string, bytes: Uint8Array, encoding?: Encoding): Promise<void>;

  /** Begins content that is too big to hold in memory. */
  stage(): Promise<StagedContent>;

  /**
   * Removes what was created through this object, for an upload that failed: a full disk must not stay full of it.
   * What somebody else wrote or took over meanwhile stays. Not for content that has a row.
   */
  undo(): Promise<void>;

  /** Makes everything that was written through this object so far survive a power cut. */
  sync(): Promise<void>;

  /**
   * Deletes content with its encodings, unless it was written at or after `writtenBefore` (milliseconds since the
   * epoch): an upload may rely on it. Returns whether it is gone; missing content is.
   */
  delete(digest: string, writtenBefore: number): Promise<boolean>;

  /** Removes what a crash left of staged content that was last written before `before`. */
  discardUnfinished(before: number): Promise<void>;

  /** Yields all content there is, and encodings whose content is gone under its digest, in no particular order. */
  list(): AsyncIterable<ContentInfo & { readonly digest: string }>;
}
