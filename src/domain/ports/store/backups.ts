import type { BackupRecord, PlacedBackup } from "../../model/backup-record.ts";

/** The changed fields of a record. */
type BackupChange = Partial<Omit<BackupRecord, "id">>;

/** The records of backups. Backups do not contain them; a restored server reads them from the destination. */
export interface BackupStore {
  /** All backups, newest first. */
  list(): Promise<readonly BackupRecord[]>;

  /** Returns a backup, or null. */
  find(id: string): Promise<BackupRecord | null>;

  /**
   * Starts a backup and returns its id: that of a failed one waiting for a retry, otherwise `id`. Returns null without
   * changes while one is running.
   */
  begin(backup: { readonly id: string; readonly place: string; readonly at: number }): Promise<string | null>;

  /** Adds complete backups that were found at a destination. Known ones stay as they are. */
  add(place: string, found: readonly PlacedBackup[]): Promise<void>;

  /** Changes a backup; false if there is none. */
  change(id: string, to: BackupChange): Promise<boolean>;

  /** Deletes the record of a backup; false if there is none. */
  delete(id: string): Promise<boolean>;
}
