import { existsSync, readFileSync } from "node:fs";
import { errorCode } from "../../../domain/error-message.ts";
import { DomainError } from "../../../domain/errors.ts";
import { timestamp } from "../../../domain/timestamp.ts";
import { lookAtContent } from "../../content/filesystem/filesystem.ts";
import { placesIn } from "../../content/filesystem/places.ts";
import type { BackupFiles } from "../backup/files.ts";
import type { DataFolder } from "../data-folder.ts";

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

/**
 * Returns what the server that runs on the folder backs up. `settingsFile` is null for the file in the folder.
 * `sharesContent` says that the backups are on the disk of the folder, where a copy of content would only take space.
 */
export function serverSource(
  folder: DataFolder,
  options: { readonly settingsFile: string | null; readonly version: string; readonly sharesContent: boolean },
): BackupSource {
  const content = lookAtContent(folder.content);
  const settingsFile = options.settingsFile ?? folder.settings;
  return {
    scratch: folder.root,
    content,
    fileOf: options.sharesContent ? placesIn(folder.content).path : null,
    files: (createdAt) => ({
      database: folder.database,
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

/** A backup without the settings would be missed only when it is needed. */
function readSettings(file: string): Uint8Array | null {
  if (!existsSync(file)) return null;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new DomainError("unavailable", `the settings file ${file} cannot be read (${errorCode(error)})`);
  }
}
