/** A scheduled or requested backup, as the server knows it. Times are epoch milliseconds. */
export interface BackupRecord {
  readonly id: string;
  /** Where it is, for people; without secrets. */
  readonly place: string;
  /** When its last attempt began. */
  readonly createdAt: number;
  readonly state: "running" | "done" | "failed";
  /** What it added at the place: earlier backups have the rest. */
  readonly bytes: number;
  /** From 0 to 1. */
  readonly progress: number;
  /** Why the last attempt that ended failed, or what was found in a complete backup; null if nothing is wrong. */
  readonly error: string | null;
  /** Attempts that were begun. */
  readonly attempts: number;
  /**
   * When it may begin: a failed one is tried again then, and a running one has not begun yet. Null once an attempt has
   * begun, so that one which a crash interrupted is recognized, and for complete ones.
   */
  readonly retryAt: number | null;
  /** When it was last found to be whole. */
  readonly verifiedAt: number | null;
  /** Whether somebody asked for a verification that has not ended. */
  readonly verifying: boolean;
}

/** A complete backup, as it says itself. */
export type PlacedBackup = Pick<BackupRecord, "id" | "createdAt" | "bytes">;

/** Returns the identifier of a backup that begins now: the time in UTC, so that names sort by age. */
export function newBackupId(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, "");
}

const ID = /^\d{8}T\d{9}Z$/;

export function isBackupId(text: string): boolean {
  return ID.test(text);
}
