import { createWriteStream, existsSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isDigest, notDigest } from "../../domain/deployments/digest.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { BackupPart } from "../../domain/ports/backup.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { hashFile } from "../content/filesystem/hash-file.ts";
import { storeContent } from "../content/filesystem/store-content.ts";
import { syncPath } from "../content/filesystem/unsynced.ts";
import type { StorageOptions } from "../open.ts";
import type { Release } from "../sqlite/lock.ts";
import { knownSchema } from "../sqlite/migrate.ts";
import { inspectCopy } from "../sqlite/snapshot.ts";
import { partsOfArchive } from "./backup/archive.ts";
import { NO_DESCRIPTION, parseDescription } from "./backup/description.ts";
import { TargetInUse } from "./backup/files.ts";
import { partsOfFolder } from "./backup/folder.ts";
import { DESCRIPTION } from "./backup/layout.ts";
import {
  becomeOwner,
  type DataFolder,
  discardUnfinished,
  folderFailure,
  inUse,
  lockDataFolder,
  prepareDataFolder,
  UnusableBackup,
  UnusableDataFolder,
} from "./data-folder.ts";
import { isFolder, liesIn } from "./paths.ts";
import { type Arrival, holdsDatabase, makeArrival, replaceDatabase } from "./replace-database.ts";
import { findBackup, partsOfPlace } from "./scheduled/parts.ts";

export interface RestoreReport {
  readonly contents: number;
  readonly bytes: number;
  /** Digests that the backup's store relies on and that the backup does not have whole. */
  readonly missing: readonly string[];
  /** The data folder that what was there before was set aside in; null where there was none. */
  readonly replaced: string | null;
  /** The backup's settings; null where it has none. */
  readonly settings: RestoredSettings | null;
}

export interface RestoredSettings {
  readonly file: string;
  /** Settings that were there already were made for this machine, and stay. */
  readonly restored: boolean;
  /** Where the server read them from; null where they lay in its data folder. */
  readonly from: string | null;
}

/** A scheduled backup at its place: the one of that id, or the newest. */
export interface PlacedSource {
  readonly objects: ObjectStore;
  readonly id: string | null;
}

/** Where a backup is read from: a path, or a place of scheduled backups. */
export type RestoreSource = string | PlacedSource;

/**
 * Puts a backup back: content first, each checked against its digest, the database last, in one step. So a crash in
 * between leaves the data folder as it was, with content that nobody refers to yet. A data folder that has a database
 * is refused unless `replace` is given; then that is set aside with its content. A folder that was made for a backup
 * that turns out to be unusable is taken away again. Root does all of it as the folder's owner, but for opening the
 * backup. Throws UnusableDataFolder and UnusableBackup.
 */
export async function restoreDataFolder(
  { dataDir }: StorageOptions,
  from: RestoreSource,
  replace: boolean,
  progress: (contents: number) => void,
): Promise<RestoreReport> {
  const { source, parts } =
    typeof from === "string" ? { source: from, parts: await openBackup(from) } : await openPlaced(from);
  becomeOwner(dataDir);
  const isNew = !existsSync(dataDir);
  const folder = prepareDataFolder(dataDir);
  const release = lockFor(folder, isNew);
  try {
    if (holdsDatabase(folder) && !replace) {
      throw new UnusableDataFolder(
        `the data folder ${folder.root} is in use: restore into an empty one, or give --replace to set aside what is there`,
      );
    }
    return await restore(folder, source, parts, progress);
  } catch (error) {
    // Nobody else can have begun to use it: its lock is held.
    if (isNew) rmSync(folder.root, { recursive: true, force: true });
    throw folderFailure(folder, error);
  } finally {
    discardUnfinished(folder);
    release();
  }
}

function lockFor(folder: DataFolder, isNew: boolean): Release {
  let release: Release | null;
  try {
    release = lockDataFolder(folder);
  } catch (error) {
    // Without the lock somebody else may have begun to use it: then it is not empty.
    if (isNew) removeEmpty(folder.root);
    throw error;
  }
  if (release) return release;
  throw new UnusableDataFolder(`the data folder ${folder.root} is being served: stop the server first`);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // What is left is no reason to hide why it could not be locked.
  }
}

async function openBackup(source: string): Promise<AsyncIterable<BackupPart>> {
  if (!existsSync(source)) throw new UnusableBackup(`there is no backup ${source}`);
  try {
    return isFolder(source) ? partsOfFolder(source) : await partsOfArchive(source);
  } catch (error) {
    throw unreadable(source, error);
  }
}

async function openPlaced({
  objects,
  id,
}: PlacedSource): Promise<{ source: string; parts: AsyncIterable<BackupPart> }> {
  const found = await findBackup(objects, id);
  if (found !== null) return { source: `${objects.place}#${found}`, parts: partsOfPlace(objects, found) };
  throw new UnusableBackup(`there is no complete backup${id === null ? "" : ` ${id}`} in ${objects.place}`);
}

async function restore(
  folder: DataFolder,
  source: string,
  parts: AsyncIterable<BackupPart>,
  progress: (contents: number) => void,
): Promise<RestoreReport> {
  const content = openFilesystemContent(folder.content);
  const arrival = makeArrival(folder);
  const { whole, bytes, settings } = await receive(parts, { folder, content, source, arrival }, progress);
  const { contents } = inspect(arrival.database, source);
  const missing = contents.filter(({ digest }) => !whole.has(digest)).map(({ digest }) => digest);
  await content.sync();
  syncPath(arrival.database);
  const replaced = await replaceDatabase(folder, arrival);
  return { contents: contents.length, bytes, missing, replaced, settings };
}

/** Takes the backup's content to its place, and the rest to where it waits. */
async function receive(
  parts: AsyncIterable<BackupPart>,
  { folder, content, source, arrival }: { folder: DataFolder; content: ContentStore; source: string; arrival: Arrival },
  progress: (contents: number) => void,
): Promise<{ whole: ReadonlySet<string>; bytes: number; settings: RestoredSettings | null }> {
  const whole = new Set<string>();
  let bytes = 0;
  let description = NO_DESCRIPTION;
  let hasSettings = false;
  const restored = !existsSync(folder.settings);
  try {
    for await (const part of parts) {
      if (part.kind === "content" && (await storeContent(content, part.digest, part.read()))) {
        whole.add(part.digest);
        bytes += part.size;
        progress(whole.size);
      } else if (part.kind === "store") await writeTo(arrival.database, part);
      else if (part.kind === "description") description = parseDescription(await textOf(part));
      else if (part.kind === "settings") {
        hasSettings = true;
        if (restored) await writeTo(arrival.settings, part);
      }
    }
  } catch (error) {
    throw receivingFailure(source, error);
  }
  await refuseOtherDatabase(arrival.database, description.database_sha256, source);
  const settings = hasSettings ? { file: folder.settings, restored, from: description.settings_from } : null;
  return { whole, bytes, settings };
}

function receivingFailure(source: string, error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof TargetInUse) return inUse(source);
  // What a system call says is about a disk; anything else is about what was read.
  if ((error as NodeJS.ErrnoException).syscall !== undefined) return unreadable(source, error);
  return new UnusableBackup(`${source} is no whole backup: ${messageOf(error)}`);
}

/** A backup that was made before backups told their digests has none of them. */
async function refuseOtherDatabase(database: string, digests: readonly string[], source: string): Promise<void> {
  const found = await hashFile(database);
  if (found === null) throw new UnusableBackup(`${source} is no backup: it has no vitrine.db`);
  if (digests.length === 0 || digests.includes(found.digest)) return;
  const unless = isFolder(source) ? `; to restore it all the same, remove ${join(source, DESCRIPTION)}` : "";
  throw new UnusableBackup(`the database in ${source} is not what was backed up: damaged, or used since${unless}`);
}

async function textOf(part: BackupPart): Promise<string> {
  return Buffer.concat(await Array.fromAsync(part.read())).toString();
}

/** Returns the failure in one line where it is the backup that may not be read. */
function unreadable(source: string, error: unknown): unknown {
  const { path = "" } = error as NodeJS.ErrnoException;
  if (!/^(EACCES|EPERM)$/.test(errorCode(error)) || !liesIn(path, source)) return error;
  return new UnusableBackup(
    `${path} cannot be read by uid ${process.getuid?.()}, who runs this: it needs the right to all of ${source}`,
  );
}

function inspect(file: string, source: string) {
  let copy: ReturnType<typeof inspectCopy>;
  try {
    copy = inspectCopy(file);
  } catch (error) {
    throw new UnusableBackup(`the database in ${source} is damaged: ${messageOf(error)}`);
  }
  if (copy.schema > knownSchema()) {
    throw new UnusableBackup(
      `${source} was made by a newer Vitrine (schema ${copy.schema}): restore it with that version`,
    );
  }
  const strange = copy.contents.find(({ digest }) => !isDigest(digest));
  if (strange) throw new UnusableBackup(`the database in ${source} names content ${notDigest(strange.digest)}`);
  return copy;
}

/** For its owner's eyes alone, like everything in the data folder. */
function writeTo(file: string, part: BackupPart): Promise<void> {
  return pipeline(part.read(), createWriteStream(file, { mode: 0o600 }));
}
