import { createWriteStream, existsSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { invalidDigest, isDigest } from "../../domain/deployments/digest.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { BackupPart } from "../../domain/ports/backup.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { storeContent } from "../content/store-content.ts";
import { joined } from "../disk/chunks.ts";
import { hashFile } from "../disk/read-file.ts";
import { syncPath } from "../disk/sync.ts";
import {
  becomeOwner,
  type DataFolder,
  deleteUnfinished,
  folderFailure,
  inUse,
  lockDataFolder,
  prepareDataFolder,
  UnusableBackup,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import { DESCRIPTION } from "../folder/layout.ts";
import type { StorageOptions } from "../open.ts";
import type { Release } from "../sqlite/lock.ts";
import { knownSchema } from "../sqlite/migrate.ts";
import { inspectCopy } from "../sqlite/snapshot.ts";
import { partsOfArchive } from "./backup/archive.ts";
import { NO_DESCRIPTION, parseDescription } from "./backup/description.ts";
import { TargetInUse } from "./backup/files.ts";
import { partsOfFolder } from "./backup/folder.ts";
import { isFolder, liesIn } from "./paths.ts";
import { createPreparedFolder, holdsDatabase, type PreparedFiles, replaceDatabase } from "./replace-database.ts";
import { findBackup, partsOfPlace } from "./scheduled/parts.ts";

interface RestoreReport {
  readonly contents: number;
  readonly bytes: number;
  /** Digests that the backup's database refers to and that are missing or damaged in the backup. */
  readonly missing: readonly string[];
  /** The data folder in which the old state was set aside; null if there was none. */
  readonly replaced: string | null;
  /** The backup's settings; null if it has none. */
  readonly settings: RestoredSettings | null;
}

export interface RestoredSettings {
  readonly file: string;
  /** False if existing settings were kept, which were made for this machine. */
  readonly restored: boolean;
  /** The original path of the settings; null if they were in the data folder. */
  readonly from: string | null;
}

/** A scheduled backup at its destination: the one with this id, or the newest. */
interface PlacedSource {
  readonly objects: ObjectStore;
  readonly id: string | null;
}

/** The source of a restore: a path, or a destination of scheduled backups. */
export type RestoreSource = string | PlacedSource;

/**
 * Restores a backup: first the content, each file checked against its digest, then the database in one step. A crash
 * before that leaves the data folder as it was, with unreferenced content. A data folder with a database is refused
 * unless `replace` is given; then it is set aside with its content. A folder that was created for an unusable backup is
 * removed again. Root does everything as the folder's owner, except opening the backup. Throws UnusableDataFolder and
 * UnusableBackup.
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
    // Nobody else can have started to use it, because its lock is held.
    if (isNew) rmSync(folder.root, { recursive: true, force: true });
    throw folderFailure(folder, error);
  } finally {
    deleteUnfinished(folder);
    release();
  }
}

function lockFor(folder: DataFolder, isNew: boolean): Release {
  let release: Release | null;
  try {
    release = lockDataFolder(folder);
  } catch (error) {
    // Without the lock somebody else may have started to use it, and then it is not empty.
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
    // A leftover folder must not hide why it could not be locked.
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
  const arrival = createPreparedFolder(folder);
  const { whole, bytes, settings } = await receive(parts, { folder, content, source, arrival }, progress);
  const { contents } = inspect(arrival.database, source);
  const missing = contents.filter(({ digest }) => !whole.has(digest)).map(({ digest }) => digest);
  await content.sync();
  syncPath(arrival.database);
  const replaced = await replaceDatabase(folder, arrival);
  return { contents: contents.length, bytes, missing, replaced, settings };
}

/** Stores the backup's content, and prepares the other files. */
async function receive(
  parts: AsyncIterable<BackupPart>,
  {
    folder,
    content,
    source,
    arrival,
  }: { folder: DataFolder; content: ContentStore; source: string; arrival: PreparedFiles },
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
      else if (part.kind === "description") description = parseDescription((await joined(part.read())).toString());
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
  // Errors of system calls are about the disk, others about the backup.
  if ((error as NodeJS.ErrnoException).syscall !== undefined) return unreadable(source, error);
  return new UnusableBackup(`${source} is damaged, or not a backup: ${messageOf(error)}`);
}

/** Earlier backups have no digests of their database. */
async function refuseOtherDatabase(database: string, digests: readonly string[], source: string): Promise<void> {
  const found = await hashFile(database);
  if (found === null) throw new UnusableBackup(`${source} is not a backup: it has no vitrine.db`);
  if (digests.length === 0 || digests.includes(found.digest)) return;
  const unless = isFolder(source) ? `; to restore it all the same, remove ${join(source, DESCRIPTION)}` : "";
  throw new UnusableBackup(`the database in ${source} is not what was backed up: damaged, or used since${unless}`);
}

/** Returns the error in one line if the backup cannot be read. */
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
  if (strange) throw new UnusableBackup(`the database in ${source} names content ${invalidDigest(strange.digest)}`);
  return copy;
}

/** Creates the file readable for its owner only, like everything in the data folder. */
function writeTo(file: string, part: BackupPart): Promise<void> {
  return pipeline(part.read(), createWriteStream(file, { mode: 0o600 }));
}
