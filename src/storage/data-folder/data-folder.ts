import { accessSync, chmodSync, constants, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isDiskFull, messageOf } from "../../domain/error-message.ts";
import { diskSpace } from "../disk-space.ts";
import { giveUpBallast } from "../sqlite/ballast.ts";
import { acquireLock, type Release } from "../sqlite/lock.ts";
import { migrate, NewerDatabase } from "../sqlite/migrate.ts";
import { DESCRIPTION, SETTINGS, STORE } from "./backup/layout.ts";

/** Where things lie in the data folder. */
export interface DataFolder {
  readonly root: string;
  readonly database: string;
  readonly lock: string;
  /** The settings, where they lie here and not elsewhere. */
  readonly settings: string;
  readonly content: string;
  readonly spool: string;
  /** What a backup says of itself; nothing else has it. */
  readonly description: string;
  /** What a restore has not put in its place yet. */
  readonly restoring: string;
  /** The root of the local CA, for people to install. */
  readonly localCa: string;
}

/** A data folder that cannot be used: the message says why and what to do. */
export class UnusableDataFolder extends Error {
  constructor(
    readonly detail: string,
    readonly advice?: string,
  ) {
    super(advice === undefined ? detail : `${detail}: ${advice}`);
  }
}

/** A place that a backup cannot go to, or what is no whole backup: the message says why. */
export class UnusableBackup extends Error {}

export function inUse(place: string): UnusableBackup {
  return new UnusableBackup(`${place} is used by another command: wait until it has ended`);
}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    database: join(root, STORE),
    lock: join(root, "vitrine.lock"),
    settings: join(root, SETTINGS),
    content: join(root, "content"),
    spool: join(root, "spool"),
    description: join(root, DESCRIPTION),
    restoring: join(root, "restoring"),
    localCa: join(root, "local-ca.pem"),
  };
}

/**
 * Lets root go on for good as the user whose data folder it is: what a command makes there is the owner's, and a link
 * that the owner put there leads no further than the owner could go. Does nothing for others, and where the folder is
 * root's own or still to be made. Throws UnusableDataFolder.
 */
export function becomeOwner(root: string): void {
  const owner = statSync(root, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || !owner || owner.uid === 0) return;
  try {
    takeGroups(owner);
    process.setgid?.(owner.gid);
    process.setuid?.(owner.uid);
  } catch (error) {
    throw new UnusableDataFolder(
      `the data folder ${root} belongs to uid ${owner.uid}: run this as that user (${messageOf(error)})`,
    );
  }
}

/** The service may read its settings or its key as a member of a further group. A user without a name has none. */
function takeGroups({ uid, gid }: { readonly uid: number; readonly gid: number }): void {
  // Bun has it, its types have not.
  const groups: { initgroups?(user: number, group: number): void } = process as object;
  try {
    groups.initgroups?.(uid, gid);
  } catch (error) {
    if (errorCode(error) !== "ERR_UNKNOWN_CREDENTIAL") throw error;
    process.setgroups?.([gid]);
  }
}

/** Whether the database, and the logs beside it, may be written. */
export function isWritable({ root, database }: DataFolder): boolean {
  try {
    for (const path of [root, database]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Throws UnusableDataFolder where that cannot be told. */
export function hasDatabase(folder: DataFolder): boolean {
  try {
    return statSync(folder.database, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return false;
    throw folderFailure(folder, error);
  }
}

/** Throws UnusableDataFolder where the folder has no database, as where its name is mistyped. */
export function requireDatabase(folder: DataFolder): void {
  if (hasDatabase(folder)) return;
  throw new UnusableDataFolder(
    `there is no database in ${folder.root}`,
    "name the server's data folder with --data-dir",
  );
}

/** Whether a server uses the folder. Without the lock's file there is none, and asking for the lock would make it. */
export function isServed(folder: DataFolder): boolean {
  if (!existsSync(folder.lock)) return false;
  const release = lockDataFolder(folder);
  release?.();
  return release === null;
}

/** Makes the data folder where it is missing, for its owner's eyes alone. Throws UnusableDataFolder. */
export function prepareDataFolder(root: string): DataFolder {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    // Somebody else's copy of the folder may have come with wider permissions than ours.
    if ((statSync(root).mode & 0o077) !== 0) chmodSync(root, 0o700);
  } catch (error) {
    throw (
      strangersFolder(root) ?? new UnusableDataFolder(`the data folder ${root} cannot be used: ${messageOf(error)}`)
    );
  }
  return dataFolder(root);
}

/** Removes what an interrupted restore left; only who holds the folder's lock may do so. */
export function discardUnfinished({ restoring }: DataFolder): void {
  rmSync(restoring, { recursive: true, force: true });
}

/**
 * Gives up the ballast on a disk that is too full for a start: sites go on being served. Only who holds the folder's
 * lock may do so: else it is the ballast of a server that runs.
 */
export function makeRoomToStart({ root, database }: DataFolder): void {
  if (diskSpace(root).free < ROOM_TO_START) giveUpBallast(database);
}

/**
 * Takes the folder's lock; null when another process serves it. On a disk that is too full to make it, when nobody has
 * it, the ballast is given up for it. Throws UnusableDataFolder.
 */
export function lockDataFolder(folder: DataFolder): Release | null {
  try {
    return acquireLock(folder.lock);
  } catch (error) {
    if (isFull(folder, error) && giveUpBallast(folder.database)) return lockDataFolder(folder);
    throw strangersLock(folder) ?? folderFailure(folder, error);
  }
}

/** A folder of another user, as a container's runtime makes it on the host for a volume that was to be there. */
function strangersFolder(root: string): UnusableDataFolder | null {
  const own = process.getuid?.();
  const owner = ownerOf(root) ?? own;
  if (owner === own) return null;
  return new UnusableDataFolder(
    `the data folder ${root} cannot be written: it belongs to uid ${owner}, and vitrine runs as uid ${own}`,
    `chown -R ${own} ${root} (for a container, on the host: the folder that is mounted there)`,
  );
}

/** Returns the user whose folder it is; null where it is missing, or not to be looked at. */
function ownerOf(root: string): number | null {
  try {
    return statSync(root).uid;
  } catch {
    return null;
  }
}

/** A lock that cannot be written is no lock: a command of another user, such as root, may have made it. */
function strangersLock({ root, lock }: DataFolder): UnusableDataFolder | null {
  const own = process.getuid?.();
  if (!existsSync(lock)) return null;
  const { uid: owner } = statSync(lock);
  if (owner === own) return null;
  return new UnusableDataFolder(
    `${lock} belongs to uid ${owner}, and uid ${own}, which runs vitrine, cannot lock it: chown -R ${own} ${root}`,
  );
}

/**
 * Brings the folder's database to the schema of this executable; on a disk that is too full to open it, the ballast is
 * given up for it. Throws UnusableDataFolder, with nothing changed.
 */
export async function prepareDatabase(folder: DataFolder): Promise<void> {
  try {
    await migrate(folder.database);
  } catch (error) {
    if (isFull(folder, error) && giveUpBallast(folder.database)) return prepareDatabase(folder);
    throw folderFailure(folder, error);
  }
}

/** Returns the failure of reading a damaged database in one line that says what to do; any other as it is. */
export function explainedDamage(folder: DataFolder, error: unknown): unknown {
  if (!/^SQLITE_(NOTADB|CORRUPT)/.test(errorCode(error))) return error;
  return new UnusableDataFolder(`${folder.database} is damaged (${messageOf(error)})`, howToMend(folder));
}

/** What there is a good copy of elsewhere: of a backup, in the data folder that it is of. */
export function howToMend({ root, description }: DataFolder): string {
  if (existsSync(description)) return `this is a backup: run vitrine backup ${root} again`;
  return "restore a backup (vitrine help restore)";
}

/** Returns the failure in one line that names the folder, where its cause is the operator's to mend. */
export function folderFailure(folder: DataFolder, error: unknown): unknown {
  const { root } = folder;
  if (error instanceof NewerDatabase) return new UnusableDataFolder(error.message);
  if (isFull(folder, error)) {
    return new UnusableDataFolder(`the disk of the data folder ${root} is full`, "free some space");
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|IOERR)|^(EACCES|EPERM|EROFS)$/.test(errorCode(error))) {
    return (
      strangersFolder(root) ??
      new UnusableDataFolder(
        `the data folder ${root} cannot be written (${messageOf(error)})`,
        `it must lie on a writable disk and belong to the user that runs vitrine (uid ${process.getuid?.()})`,
      )
    );
  }
  return explainedDamage(folder, error);
}

/**
 * Whether it is the folder's disk that was full. SQLite calls it a failure of the disk where there is no room for the
 * index of its log.
 */
export function isFull({ root }: DataFolder, error: unknown): boolean {
  if (isDiskFull(error)) return true;
  return /^SQLITE_(IOERR|CANTOPEN)/.test(errorCode(error)) && diskSpace(root).free < ROOM_FOR_INDEX;
}

const ROOM_FOR_INDEX = 64 * 1024;

/** The log of the database with its index, the lock, and what a start notes down. */
const ROOM_TO_START = 1024 * 1024;
