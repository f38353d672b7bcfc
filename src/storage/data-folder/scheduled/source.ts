import { existsSync, readFileSync } from "node:fs";
import { errorCode } from "../../../domain/error-message.ts";
import { DomainError } from "../../../domain/errors.ts";
import { timestamp } from "../../../domain/timestamp.ts";
import { placesIn } from "../../content/filesystem/places.ts";
import type { DataFolder } from "../../folder/data-folder.ts";
import type { DatabaseSource } from "../backup/database-source.ts";
import type { BackupFiles } from "../backup/files.ts";

/** The data to back up. */
export interface BackupSource {
  /** A local folder for the copy of the database. */
  readonly scratch: string;
  readonly content: BackupFiles["content"];
  /** Returns the file of content that the backup may hard-link; null if content must be copied. */
  readonly fileOf: ((digest: string) => string) | null;
  /** Returns the files of a backup that starts at that time. */
  files(createdAt: number): BackupFiles;
}

/**
 * Returns the data of the running server. `settingsFile` is null for the file in the folder. `sharesContent` is true if
 * the backups are on the disk of the folder, where a copy of content would waste space.
 */
export function serverSource(
  folder: DataFolder,
  options: {
    readonly settingsFile: string | null;
    readonly version: string;
    readonly database: DatabaseSource;
    readonly content: BackupFiles["content"];
    readonly sharesContent: boolean;
  },
): BackupSource {
  const { content } = options;
  const settingsFile = options.settingsFile ?? folder.settings;
  return {
    scratch: folder.root,
    content,
    fileOf: options.sharesContent ? placesIn(folder.content).path : null,
    files: (createdAt) => ({
      database: options.database,
      content,
      settings: readSettings(settingsFile),
      origin: {
        vitrine: options.version,
        created_at: timestamp(createdAt),
        settings_from: settingsFile === folder.settings ? null : settingsFile,
      },
    }),
  };
}

// --- internal ---

/** Throws if the settings cannot be read. Otherwise they would be missed only at the restore. */
function readSettings(file: string): Uint8Array | null {
  if (!existsSync(file)) return null;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new DomainError("unavailable", `the settings file ${file} cannot be read (${errorCode(error)})`);
  }
}
