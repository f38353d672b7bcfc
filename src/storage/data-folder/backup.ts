import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type BackupReport, backup } from "../../domain/backups/backup.ts";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { errorCode, isDiskFull } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { BackupTarget } from "../../domain/ports/backup.ts";
import type { Store } from "../../domain/ports/store.ts";
import { timestamp } from "../../domain/timestamp.ts";
import {
  type DataFolder,
  dataFolder,
  folderFailure,
  inUse,
  isBackup,
  isServed,
  isWritable,
  requireMetadata,
  UnusableBackup,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import type { KeptContent, StorageOptions } from "../open.ts";
import { archiveTarget } from "./backup/archive.ts";
import { postgresDatabase, sqliteDatabase } from "./backup/database-source.ts";
import { type BackupFiles, TargetInUse } from "./backup/files.ts";
import { folderTarget } from "./backup/folder.ts";
import { clearingUpAtEnd } from "./ending.ts";
import { fileTarget } from "./file-target.ts";
import { isFolder, liesIn, realPath } from "./paths.ts";
import { withReadOnlyStorage } from "./read-only-store.ts";
import { holdsDatabase } from "./replace-database.ts";

interface DataFolderBackup extends BackupReport {
  /** The settings file in the backup; null if there is none. */
  readonly settings: string | null;
}

/** The source and the destination of a backup. */
interface BackupRequest {
  /** A file, or a folder if it exists as one or ends with a slash. */
  readonly path: string;
  /** True if an existing file may be replaced. */
  readonly replace: boolean;
  /** The settings file if it is not in the data folder. */
  readonly settingsFile: string | null;
  /** The version of the program that creates it. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/**
 * Copies everything to the destination. The server may run meanwhile. Throws UnusableDataFolder if the source cannot be
 * used, and UnusableBackup if the destination cannot be used.
 */
export async function backupDataFolder(
  options: StorageOptions,
  request: BackupRequest,
  progress: (contents: number) => void,
): Promise<DataFolderBackup> {
  const { path: destination, replace, settingsFile } = request;
  const folder = dataFolder(options.dataDir);
  requireMetadata(folder, options.database);
  const database = isBackup(folder) ? null : (options.database ?? null);
  const openTarget = await targetAt(destination, replace, folder);
  const takeSettings = settingsReader(settingsFile, folder);
  return withReadOnlyStorage(options, async ({ store, openContent }) => {
    const content = await openContent();
    const settings = takeSettings();
    try {
      const report = await copyAll(
        () => openTarget(filesOf(folder, database, content, settings, request)),
        store.contents,
        progress,
      );
      return { ...report, settings: settings.file };
    } catch (error) {
      throw sourceFailure(folder, error) ?? destinationFailure(destination, error);
    }
  });
}

// --- internal ---

/** Returns the function that starts a backup to the destination. */
async function targetAt(
  destination: string,
  replace: boolean,
  folder: DataFolder,
): Promise<(files: BackupFiles) => Promise<BackupTarget>> {
  const intoFolder = leadsToFolder(destination);
  refuseDestination(destination, folder);
  if (intoFolder) return (files) => folderTarget(destination, files);
  const file = await replaceableFile(destination);
  if (file !== destination) refuseDestination(file, folder);
  if (!replace && existsSync(file)) {
    throw new UnusableBackup(`${destination} exists already: replace it with --force, or name another file`);
  }
  return async (files) => archiveTarget(file, files);
}

function leadsToFolder(destination: string): boolean {
  try {
    if (!isFolder(destination)) return false;
  } catch (error) {
    throw destinationFailure(destination, error);
  }
  if (!existsSync(destination) && existsSync(destination.replace(/\/+$/, ""))) {
    throw new UnusableBackup(`${destination} is not a folder: leave out the slash at its end to name the file`);
  }
  return true;
}

/** Returns the path of the file that a backup may replace. */
async function replaceableFile(destination: string): Promise<string> {
  const target = await fileTarget(destination).catch((error) => {
    throw destinationFailure(destination, error);
  });
  if (target.kind === "file") return target.path;
  throw new UnusableBackup(`${destination} is not a regular file: name a file or a folder`);
}

/** Throws if the backup would replace files of this data folder or of another one. */
function refuseDestination(destination: string, folder: DataFolder): void {
  const place = isFolder(destination) ? destination : dirname(destination);
  if (leadsInto(place, folder)) {
    throw new UnusableBackup(`${destination} is in the data folder itself: name a place outside of it`);
  }
  const other = dataFolder(realPath(place));
  if (isServed(other)) {
    throw new UnusableBackup(`${destination} is in a data folder that a server uses: name another place`);
  }
  if (holdsDatabase(other) && !existsSync(other.description)) {
    throw new UnusableBackup(`${destination} is in a data folder, which is no backup: name another place`);
  }
  if (place !== destination && !existsSync(place)) {
    throw new UnusableBackup(`${destination} cannot be written: there is no folder ${place}`);
  }
}

function leadsInto(path: string, { root }: DataFolder): boolean {
  return liesIn(realPath(path), realPath(root));
}

/** The settings file of a backup; both null if there is none. */
interface Settings {
  readonly file: string | null;
  readonly content: Uint8Array | null;
}

/**
 * Returns a function that reads the settings once the store is open. Settings outside the data folder are read before,
 * with the privileges of the calling user, which only that user may have. A link in the data folder is followed with
 * the privileges of the folder's owner.
 */
function settingsReader(named: string | null, folder: DataFolder): () => Settings {
  if (named !== null && !leadsInto(dirname(named), folder)) {
    const content = readSettings(named);
    return () => ({ file: named, content });
  }
  return () => {
    const file = named ?? (existsSync(folder.settings) ? folder.settings : null);
    return { file, content: file === null ? null : readSettings(file) };
  };
}

function readSettings(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UnusableBackup(
      `the settings file ${file} cannot be read by uid ${process.getuid?.()}, who runs this (${errorCode(error)})`,
    );
  }
}

function filesOf(
  folder: DataFolder,
  database: DatabaseUrl | null,
  content: KeptContent,
  settings: Settings,
  { version, createdAt }: BackupRequest,
): BackupFiles {
  return {
    database: database ? postgresDatabase(database) : sqliteDatabase(folder.database),
    content,
    settings: settings.content,
    origin: {
      vitrine: version,
      created_at: timestamp(createdAt),
      settings_from: settings.file === folder.settings ? null : settings.file,
    },
  };
}

/** Copies everything. Nothing of an unfinished backup remains, whether it fails or is aborted. */
async function copyAll(
  openTarget: () => Promise<BackupTarget>,
  contents: Store["contents"],
  progress: (contents: number) => void,
): Promise<BackupReport> {
  let target: BackupTarget | null = null;
  return clearingUpAtEnd(
    () => void target?.abandon(),
    async () => {
      try {
        target = await openTarget();
        return await backup({ contents, target }, progress);
      } catch (error) {
        // A failed cleanup must not hide the original failure.
        await target?.abandon().catch(() => {});
        throw error;
      }
    },
  );
}

/** Returns the failure in one line if the source cannot be read; null otherwise. */
function sourceFailure(folder: DataFolder, error: unknown): unknown {
  if (/^SQLITE_(CANTOPEN|READONLY)/.test(errorCode(error)) && !isWritable(folder)) return folderFailure(folder, error);
  const { content } = folder;
  const cause = error instanceof DomainError ? error.extra.cause : error;
  const { path } = (cause ?? {}) as NodeJS.ErrnoException;
  if (!path?.startsWith(content) || !/^(EACCES|EPERM|ELOOP|ENOTDIR)$/.test(errorCode(cause))) return null;
  return new UnusableDataFolder(
    `${path} cannot be read by uid ${process.getuid?.()}, who runs this (${errorCode(cause)})`,
  );
}

/** Returns the failure in one line if the operator can fix its cause. */
function destinationFailure(destination: string, error: unknown): unknown {
  if (error instanceof TargetInUse) return inUse(destination);
  if (isDiskFull(error)) return new UnusableBackup(`${destination} cannot be written: its disk is full`);
  const code = errorCode(error);
  if (/^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|ELOOP|SQLITE_CANTOPEN|SQLITE_READONLY)/.test(code)) {
    return new UnusableBackup(`${destination} cannot be written by uid ${process.getuid?.()}, who runs this (${code})`);
  }
  return error;
}
