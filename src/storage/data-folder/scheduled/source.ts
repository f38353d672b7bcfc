import type { BackupFiles } from "../backup/files.ts";

/** What is backed up. */
export interface BackupSource {
  /** A folder of this machine for the copy of the database. */
  readonly scratch: string;
  readonly content: BackupFiles["content"];
  /** Returns the file of content where the backup may share it; null where it must have a copy. */
  readonly fileOf: ((digest: string) => string) | null;
  /** Returns the files of a backup that begins at that time. */
  files(createdAt: number): BackupFiles;
}
