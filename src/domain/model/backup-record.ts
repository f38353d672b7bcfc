/** The server's record of a scheduled or requested backup. Times are epoch milliseconds. */
export interface BackupRecord {
  readonly id: string;
  /** Its destination for people, without secrets. */
  readonly place: string;
  /** When its last attempt started. */
  readonly createdAt: number;
  readonly state: "running" | "done" | "failed";
  /** The bytes that it added at the destination; earlier backups have the rest. */
  readonly bytes: number;
  /** From 0 to 1. */
  readonly progress: number;
  /** Why the last completed attempt failed, or what was found in a complete backup; null if nothing is wrong. */
  readonly error: string | null;
  readonly attempts: number;
  /**
   * When the next attempt may start: set for a failed backup, and for a new one before its first attempt. Null once an
   * attempt has started, so that one interrupted by a crash is recognized, and for complete backups.
   */
  readonly retryAt: number | null;
  /** When it was last verified as intact. */
  readonly verifiedAt: number | null;
  /** True if a requested verification has not ended. */
  readonly verifying: boolean;
}

/** A complete backup, according to its own description. */
export type PlacedBackup = Pick<BackupRecord, "id" | "createdAt" | "bytes">;

/** Returns the identifier of a backup that starts now: the time in UTC, so that names sort by age. */
export function newBackupId(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, "");
}

const ID = /^\d{8}T\d{9}Z$/;

export function isBackupId(text: string): boolean {
  return ID.test(text);
}
