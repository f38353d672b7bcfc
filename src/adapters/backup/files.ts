/** What a backup is made of, as files of a data folder. */
export interface BackupFiles {
  readonly database: string;
  readonly contentPath: (digest: string) => string;
  /** The settings file; null where there is none. */
  readonly settings: string | null;
  /** Says what made the backup, and when: JSON for people. */
  readonly description: string;
}
