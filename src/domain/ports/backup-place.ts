import type { PlacedBackup } from "../backups/backup-record.ts";
import type { BackupTarget } from "./backup.ts";
import type { ByteSpan } from "./content.ts";

/** A backup as one file, which is built while it is read. */
export interface BackupArchive {
  /** In bytes. */
  readonly size: number;
  read(span: ByteSpan): AsyncIterable<Uint8Array>;
}

/** The target of one backup at a place. */
export interface PlacedTarget extends BackupTarget {
  /** Bytes that were added so far. */
  added(): number;
}

/** What a verification found. */
export interface BackupCheck {
  /** Files whose bytes were damaged or missing, and were copied again from the data folder. */
  readonly repaired: number;
  /** What is damaged or missing for good: digests, and names of the backup's own files. */
  readonly damaged: readonly string[];
}

/**
 * Where backups of this server are kept: they share their content. Everything throws `unavailable` if the place is away.
 * One process at a time may call `open`, `verify` and `sweep`.
 */
export interface BackupPlace {
  /** For people; without secrets. */
  readonly name: string;
  /** How many contents are copied at a time. */
  readonly width: number;

  /** Returns the complete backups, in any order. */
  list(): Promise<readonly PlacedBackup[]>;

  /** Opens the target of a new backup. It counts as a backup only once it is complete. */
  open(backup: { readonly id: string; readonly createdAt: number }): Promise<PlacedTarget>;

  /** Reads a whole backup and compares it with its digests. Throws `not_found` if there is none. */
  verify(id: string, progress: (contents: number) => void): Promise<BackupCheck>;

  /** Removes a backup. Its content is removed by `sweep`. Does nothing if there is none. */
  remove(id: string): Promise<void>;

  /** Removes content that no backup needs, and what unfinished and removed backups left. Touches nothing else. */
  sweep(): Promise<void>;

  /** Returns a backup as one file that `vitrine restore` takes; null if there is none. */
  archive(id: string): Promise<BackupArchive | null>;
}
