import type { PlacedBackup } from "../model/backup-record.ts";
import type { BackupTarget } from "./backup.ts";
import type { ByteSpan } from "./content.ts";

/** A backup as one file, which is created while it is read. */
export interface BackupArchive {
  /** In bytes. */
  readonly size: number;
  read(span: ByteSpan): AsyncIterable<Uint8Array>;
}

/** The target of one backup at a destination. */
export interface PlacedTarget extends BackupTarget {
  /** Returns the number of bytes added so far. */
  added(): number;
}

/** The result of a verification. */
export interface BackupCheck {
  /** Files with damaged or missing bytes that were copied again from the data folder. */
  readonly repaired: number;
  /** Permanently damaged or missing files: digests, and names of the backup's own files. */
  readonly damaged: readonly string[];
}

/**
 * A destination of this server's backups, which share their content. Everything throws `unavailable` if the destination
 * is unavailable. One process at a time may call `open`, `verify` and `sweep`.
 */
export interface BackupPlace {
  /** For people, without secrets. */
  readonly name: string;
  /** The number of contents to copy concurrently. */
  readonly width: number;

  /** Returns the complete backups in any order. */
  list(): Promise<readonly PlacedBackup[]>;

  /** Opens the target of a new backup, which counts only once it is complete. */
  open(backup: { readonly id: string; readonly createdAt: number }): Promise<PlacedTarget>;

  /** Reads a whole backup and compares it with its digests. Throws `not_found` if there is none. */
  verify(id: string, progress: (contents: number) => void): Promise<BackupCheck>;

  /** Deletes a backup. `sweep` removes its content. Does nothing if there is none. */
  delete(id: string): Promise<void>;

  /** Removes content that no backup needs, and parts of unfinished and removed backups. Foreign files stay. */
  sweep(): Promise<void>;

  /** Returns a backup as one file for `vitrine restore`; null if there is none. */
  archive(id: string): Promise<BackupArchive | null>;
}
