/** A copy of the store as it was at one moment. */
export interface Snapshot {
  /** The file that holds it. */
  readonly file: string;
  readonly sites: number;
  readonly deployments: number;
  /** Every content that the copy relies on. */
  contents(): Iterable<{ digest: string; size: number }>;
}

/** What became of one content. */
export type Copied =
  | "copied"
  /** There is no such content. */
  | "missing"
  /** It is not what its digest says. */
  | "damaged";

/** Where a backup is written to. It is a backup from `complete` on; before, it is nothing, or the one before. */
export interface BackupTarget {
  /** Copies the store. A copy taken earlier is given up. */
  takeSnapshot(): Promise<Snapshot>;
  /** Whether the content is there, and whole, from an earlier backup. */
  has(content: { digest: string; size: number }): Promise<boolean>;
  copy(content: { digest: string; size: number }): Promise<Copied>;
  /** Adds the copy of the store, and makes all of it survive a power cut. */
  complete(snapshot: Snapshot): Promise<void>;
  /**
   * Gives the backup up: removes what is half written, while a `copy` runs too, before anything is waited for, because
   * whoever ends the process does not wait. Content that was copied whole may stay for the next backup to the same
   * place. Does nothing after `complete`.
   */
  abandon(): Promise<void>;
}

/** One part of a backup, in whatever order they come. */
export interface BackupPart {
  readonly kind: "content" | "store" | "settings" | "description";
  /** What content claims to be; empty for the others. */
  readonly digest: string;
  readonly size: number;
  /** Must be read to its end, or not at all, before the next part is asked for. */
  read(): AsyncIterable<Uint8Array>;
}
