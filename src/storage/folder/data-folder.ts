import { accessSync, chmodSync, constants, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseUrl, formatDatabaseUrl } from "../../domain/database-url.ts";
import { errorCode, isDiskFull, messageOf } from "../../domain/error-message.ts";
import { diskSpace } from "../disk/disk-space.ts";
import { UnusableDatabase } from "../postgres/migrate.ts";
import { acquireLock, type Release } from "../sqlite/lock.ts";
import { migrate, NewerDatabase } from "../sqlite/migrate.ts";
import { releaseReserveFile } from "../sqlite/reserve-file.ts";
import { DESCRIPTION, SETTINGS, STORE } from "./layout.ts";

/** The paths in the data folder. */
export interface DataFolder {
  readonly root: string;
  readonly database: string;
  /** The former database of a folder whose metadata was moved to PostgreSQL. */
  readonly movedDatabase: string;
  /** A node's copy of what visits need of a database that several nodes share. */
  readonly replica: string;
  readonly lock: string;
  /** The settings file, if it is here and not elsewhere. */
  readonly settings: string;
  readonly content: string;
  /** What is cached of content that is in a bucket. */
  readonly cache: string;
  readonly spool: string;
  /** The description of a backup; nothing else has one. */
  readonly description: string;
  /** Files that a restore has not moved to their places yet. */
  readonly restoring: string;
  /** The root certificate of the local CA, for users to install. */
  readonly localCa: string;
}

/** A data folder that cannot be used. The message says why and what to do. */
export class UnusableDataFolder extends Error {
  constructor(
    readonly detail: string,
    readonly advice?: string,
  ) {
    super(advice === undefined ? detail : `${detail}: ${advice}`);
  }
}

/** A backup that is invalid, or a destination that cannot be used. The message says why. */
export class UnusableBackup extends Error {}

export function inUse(place: string): UnusableBackup {
  return new UnusableBackup(`${place} is used by another command: wait until it has ended`);
}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    database: join(root, STORE),
    movedDatabase: join(root, `${STORE}.moved`),
    replica: join(root, "replica.db"),
    lock: join(root, "vitrine.lock"),
    settings: join(root, SETTINGS),
    content: join(root, "content"),
    cache: join(root, "cache"),
    spool: join(root, "spool"),
    description: join(root, DESCRIPTION),
    restoring: join(root, "restoring"),
    localCa: join(root, "local-ca.pem"),
  };
}

/**
 * Makes root continue permanently as the user who owns the data folder. Files that a command creates there belong to
 * the owner, and links there are followed with the owner's privileges. Does nothing for other users, or if the folder
 * is root's own or does not exist. Throws UnusableDataFolder.
 */
export function becomeOwner(root: string): void {
  const owner = statSync(root, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || !owner || owner.uid === 0) return;
  try {
    joinSupplementaryGroups(owner);
    process.setgid?.(owner.gid);
    process.setuid?.(owner.uid);
  } catch (error) {
    throw new UnusableDataFolder(
      `the data folder ${root} belongs to uid ${owner.uid}: run this as that user (${messageOf(error)})`,
    );
  }
}

/**
 * The service may have access to its settings or its key through a supplementary group. A user without a name has none.
 */
function joinSupplementaryGroups({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
  // Bun has this function, but its types do not.
  const groups: { initgroups?(user: number, group: number): void } = process as object;
  try {
    groups.initgroups?.(uid, gid);
  } catch (error) {
    if (errorCode(error) !== "ERR_UNKNOWN_CREDENTIAL") throw error;
    process.setgroups?.([gid]);
  }
}

/** Returns whether the database and its log files can be written. */
export function isWritable({ root, database }: DataFolder): boolean {
  try {
    for (const path of [root, database]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the folder is a backup, whose metadata is in it, whatever the settings say. */
export function isBackup({ description }: DataFolder): boolean {
  return existsSync(description);
}

/** Throws UnusableDataFolder if that cannot be determined. */
export function hasDatabase(folder: DataFolder): boolean {
  try {
    return statSync(folder.database, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return false;
    throw folderFailure(folder, error);
  }
}

/** Returns whether the folder belongs to a server whose database is in PostgreSQL, or was moved there. */
export function isDatabaseElsewhere(folder: DataFolder): boolean {
  return !hasDatabase(folder) && (existsSync(folder.replica) || existsSync(folder.movedDatabase));
}

/**
 * Throws UnusableDataFolder for such a folder: an empty database in it would take the place of the one that is elsewhere.
 */
export function requireNoDatabaseElsewhere(folder: DataFolder): void {
  if (!isDatabaseElsewhere(folder)) return;
  throw new UnusableDataFolder(
    `the data folder ${folder.root} belongs to a server whose database is elsewhere`,
    "give its URL with --database, or another folder with --data-dir",
  );
}

/** Throws UnusableDataFolder if the folder has no database, for example because its name is misspelled. */
export function requireDatabase(folder: DataFolder): void {
  if (hasDatabase(folder)) return;
  requireNoDatabaseElsewhere(folder);
  throw new UnusableDataFolder(
    `there is no database in ${folder.root}`,
    "name the server's data folder with --data-dir",
  );
}

/**
 * Throws UnusableDataFolder unless the metadata is at one place: in the folder, or in PostgreSQL if the settings name a
 * database. That of a backup is in its folder.
 */
export function requireMetadata(folder: DataFolder, database: DatabaseUrl | null | undefined): void {
  const isHere = !database || isBackup(folder);
  if (isHere) requireDatabase(folder);
  if (isHere || !hasDatabase(folder)) return;
  throw new UnusableDataFolder(
    `the data folder ${folder.root} has a database of its own, and the settings name ${formatDatabaseUrl(database)}`,
    "leave --database out, or name another folder with --data-dir",
  );
}

/**
 * Returns whether a server uses the folder. Without the lock file there is none, and trying to lock would create it.
 */
export function isServed(folder: DataFolder): boolean {
  if (!existsSync(folder.lock)) return false;
  const release = lockDataFolder(folder);
  release?.();
  return release === null;
}

/** Creates the data folder if necessary, readable for its owner only. Throws UnusableDataFolder. */
export function prepareDataFolder(root: string): DataFolder {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    // A copy of the folder may have wider permissions.
    if ((statSync(root).mode & 0o077) !== 0) chmodSync(root, 0o700);
  } catch (error) {
    throw notFolderError(root, error) ?? foreignFolderError(root) ?? unusable(root, messageOf(error));
  }
  return dataFolder(root);
}

/** Removes files of an interrupted restore. Only the holder of the folder's lock may call it. */
export function deleteUnfinished({ restoring }: DataFolder): void {
  rmSync(restoring, { recursive: true, force: true });
}

/**
 * Deletes the reserve file if the disk is too full for a start, so that sites are still served. Only the holder of the
 * folder's lock may call it, because a running server needs the file itself.
 */
export function makeRoomToStart({ root, database }: DataFolder): void {
  if (diskSpace(root).free < ROOM_TO_START) releaseReserveFile(database);
}

/**
 * Takes the folder's lock. Returns null if another process serves it. If the disk is too full to create the lock file,
 * the reserve file is deleted. Throws UnusableDataFolder.
 */
export function lockDataFolder(folder: DataFolder): Release | null {
  try {
    return acquireLock(folder.lock);
  } catch (error) {
    if (isDiskOfFolderFull(folder, error) && releaseReserveFile(folder.database)) return lockDataFolder(folder);
    throw foreignLockError(folder) ?? folderFailure(folder, error);
  }
}

/** A path that names a file, or continues below one. */
function notFolderError(root: string, error: unknown): UnusableDataFolder | null {
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: "it is a file",
    ENOTDIR: "a part of this path is a file",
  };
  const reason = reasons[errorCode(error)];
  return reason === undefined ? null : unusable(root, reason, "name a folder with --data-dir");
}

function unusable(root: string, reason: string, advice?: string): UnusableDataFolder {
  return new UnusableDataFolder(`the data folder ${root} cannot be used: ${reason}`, advice);
}

/** A folder of another user, such as one that a container runtime created for a volume. */
function foreignFolderError(root: string): UnusableDataFolder | null {
  const own = process.getuid?.();
  const owner = ownerOf(root) ?? own;
  if (owner === own) return null;
  return new UnusableDataFolder(
    `the data folder ${root} cannot be written: it belongs to uid ${owner}, and vitrine runs as uid ${own}`,
    `run it as that user, or chown -R ${own} ${root} (for a container, on the host: the folder that is mounted there)`,
  );
}

/** Returns the id of the folder's owner; null if it is missing or cannot be read. */
function ownerOf(root: string): number | null {
  try {
    return statSync(root).uid;
  } catch {
    return null;
  }
}

/**
 * A lock file that cannot be written cannot be locked. A command of another user, such as root, may have created it.
 */
function foreignLockError({ root, lock }: DataFolder): UnusableDataFolder | null {
  const own = process.getuid?.();
  if (!existsSync(lock)) return null;
  const { uid: owner } = statSync(lock);
  if (owner === own) return null;
  return new UnusableDataFolder(
    `${lock} belongs to uid ${owner}, and uid ${own}, which runs vitrine, cannot lock it: chown -R ${own} ${root}`,
  );
}

/**
 * Migrates the folder's database to the schema of this executable. If the disk is too full to open it, the reserve file
 * is deleted. Throws UnusableDataFolder without changes.
 */
export async function prepareDatabase(folder: DataFolder): Promise<void> {
  try {
    await migrate(folder.database);
  } catch (error) {
    if (isDiskOfFolderFull(folder, error) && releaseReserveFile(folder.database)) return prepareDatabase(folder);
    throw folderFailure(folder, error);
  }
}

/** Returns the error of a damaged or unusable database as one line that says what to do; other errors unchanged. */
export function explainDamage(folder: DataFolder, error: unknown): unknown {
  if (error instanceof NewerDatabase || error instanceof UnusableDatabase) return new UnusableDataFolder(error.message);
  if (!/^SQLITE_(NOTADB|CORRUPT)/.test(errorCode(error))) return error;
  return new UnusableDataFolder(`${folder.database} is damaged (${messageOf(error)})`, remedyFor(folder));
}

/** The place from which a damaged file can be restored: a backup, or the data folder of a backup. */
export function remedyFor({ root, description }: DataFolder): string {
  if (existsSync(description)) return `this is a backup: run vitrine backup ${root} again`;
  return "restore a backup (vitrine help restore)";
}

/** Returns the error as one line that names the folder if the operator can fix its cause. */
export function folderFailure(folder: DataFolder, error: unknown): unknown {
  const { root } = folder;
  if (isDiskOfFolderFull(folder, error)) {
    return new UnusableDataFolder(`the disk of the data folder ${root} is full`, "free some space");
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|IOERR)|^(EACCES|EPERM|EROFS)$/.test(errorCode(error))) {
    return (
      foreignFolderError(root) ??
      new UnusableDataFolder(
        `the data folder ${root} cannot be written (${messageOf(error)})`,
        `it must be on a writable disk and belong to the user that runs vitrine (uid ${process.getuid?.()})`,
      )
    );
  }
  return explainDamage(folder, error);
}

/**
 * Returns whether the folder's disk was full. SQLite reports a disk error if there is no space for the index of its
 * log.
 */
export function isDiskOfFolderFull({ root }: DataFolder, error: unknown): boolean {
  if (isDiskFull(error)) return true;
  return /^SQLITE_(IOERR|CANTOPEN)/.test(errorCode(error)) && diskSpace(root).free < ROOM_FOR_INDEX;
}

const ROOM_FOR_INDEX = 64 * 1024;

/** The database's log with its index, the lock, and the writes of a start. */
const ROOM_TO_START = 1024 * 1024;
