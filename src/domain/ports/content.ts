/** The bytes from `start` to before `end`. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Content that is written before its digest is known. Always call `abort` at the end; it does nothing after `commit`. */
export interface StagedContent {
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Moves the content to its place atomically. It is durable only after `sync`, and visible to readers by then at the
   * latest.
   */
  commit(digest: string): Promise<void>;
  /** Deletes the content unless it was committed. */
  abort(): Promise<void>;
}

/** The actual digest and size of content. */
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

/** The arguments of a deletion. */
export interface ContentDeletion {
  readonly digest: string;
  /** Content that was written at this time or later stays. */
  readonly writtenBefore: number;
}

/**
 * The content store: bytes by their SHA-256. Content is immutable and shared by all sites. Encodings are content, too.
 * The existence of content here is no proof that it is complete and durable: only its row in the store is.
 *
 * Reads and writes throw `unavailable` if the disk fails. Writes throw `disk_full`, and
 * `unavailable` if the process has no file descriptor left.
 */
export interface ContentStore {
  /**
   * Reads content completely, or the available part of a range. Throws if it is missing. Nothing stays open between
   * calls.
   */
  read(digest: string, span?: ByteSpan): Promise<Uint8Array<ArrayBuffer>>;

  /**
   * Returns content for sending to a client without loading it into memory. Sending fails if it is missing. Null for
   * large content that is not on this machine: read it in parts, while it is fetched.
   */
  open(digest: string): Promise<Blob | null>;

  /** Returns null if the content is missing. */
  stat(digest: string): Promise<ContentInfo | null>;

  /**
   * Reads content and returns its actual digest; null if it is missing. Content that the disk cannot read has no digest; for
   * content that this process may not read it throws.
   */
  hash(digest: string): Promise<ContentHash | null>;

  /**
   * Writes content under its digest. Existing content is kept, or replaced atomically by the same bytes, so that
   * readers always see it complete. Its modification time is updated. It is durable only after `sync`, and visible to
   * readers by then at the latest.
   */
  put(digest: string, bytes: Uint8Array): Promise<void>;

  /** Starts writing content that is too large for memory. */
  stage(): Promise<StagedContent>;

  /**
   * Deletes the content created through this object, after a failed upload, so that it does not keep a disk full.
   * Content that another upload wrote or uses meanwhile stays. Not for content that has a row.
   */
  undo(): Promise<void>;

  /** Makes everything written through this object durable. */
  sync(): Promise<void>;

  /**
   * Deletes content, unless it was written at or after `writtenBefore` (milliseconds since the epoch), because an upload
   * may need it. Returns whether it no longer exists; true for missing content.
   */
  delete(digest: string, writtenBefore: number): Promise<boolean>;

  /**
   * Deletes contents like `delete`, and leaves none of their bytes behind, although several contents may be stored in one
   * object. Returns the digests of those that no longer exist.
   */
  purge(deletions: readonly ContentDeletion[]): Promise<readonly string[]>;

  /** Deletes staged content of a crash that was last written before `before`. */
  deleteUnfinished(before: number): Promise<void>;

  /** Yields all content in any order. */
  list(): AsyncIterable<ContentInfo & { readonly digest: string }>;
}

/** Part size for content that may not fit into memory. */
const PART_BYTES = 256 * 1024;

/** Yields content in parts, each read on request. */
export async function* readParts(content: Pick<ContentStore, "read">, digest: string): AsyncGenerator<Uint8Array> {
  for (let start = 0; ; start += PART_BYTES) {
    const part = await content.read(digest, { start, end: start + PART_BYTES });
    if (part.length > 0) yield part;
    if (part.length < PART_BYTES) return;
  }
}
