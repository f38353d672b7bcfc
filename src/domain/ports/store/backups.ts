import type { BackupRecord, PlacedBackup } from "../../backups/backup-record.ts";

/** What a change of a record sets. */
export type BackupChange = Partial<Omit<BackupRecord, "id">>;

/** What the server knows of its backups. No backup contains these records: a restored server reads them at the place. */
export interface BackupStore {
  /** All backups, newest first. */
  list(): Promise<readonly BackupRecord[]>;

  /** Returns a backup, or null. */
  find(id: string): Promise<BackupRecord | null>;

  /**
   * Begins a backup and returns its id: that of one that failed and waits to be retried, else `id`. Null, and nothing
   * changed, while one runs.
   */
  begin(backup: { readonly id: string; readonly place: string; readonly at: number }): Promise<string | null>;

  /** Adds complete backups that were found at a place. Those that are known stay as they are. */
  add(place: string, found: readonly PlacedBackup[]): Promise<void>;

  /** Changes a backup; false if there is none. */
  change(id: string, to: BackupChange): Promise<boolean>;

  /** Forgets a backup; false if there is none. */
  remove(id: string): Promise<boolean>;
}
