/** A consistent copy of the store. */
export interface Snapshot {
  readonly file: string;
  readonly sites: number;
  readonly deployments: number;
  /** The number of contents. */
  readonly total: number;
  /** All contents that the copy refers to. */
  contents(): Iterable<{ digest: string; size: number }>;
}

/** The result for one content. */
export type Copied =
  | "copied"
  /** The content is missing. */
  | "missing"
  /** The content does not match its digest. */
  | "damaged";

/** The target of a backup. Until `complete` it contains nothing, or the previous backup. */
export interface BackupTarget {
  /** Copies the store. An earlier copy is discarded. */
  takeSnapshot(): Promise<Snapshot>;
  /** Returns whether an earlier backup has the content intact. */
  has(content: { digest: string; size: number }): Promise<boolean>;
  copy(content: { digest: string; size: number }): Promise<Copied>;
  /** Adds the copy of the store, and makes everything durable. */
  complete(snapshot: Snapshot): Promise<void>;
  /**
   * Aborts the backup: removes incomplete files synchronously before its first await, also while a `copy` runs, because
   * the process may exit without waiting. Completely copied content may stay for the next backup to the same
   * target. Does nothing after `complete`.
   */
  abandon(): Promise<void>;
}

/** One part of a backup, in any order. */
export interface BackupPart {
  readonly kind: "content" | "store" | "settings" | "description";
  /** The digest of content; empty for other parts. */
  readonly digest: string;
  readonly size: number;
  /** Must be read completely, or not at all, before the next part is requested. */
  read(): AsyncIterable<Uint8Array>;
}
