import { existsSync, mkdirSync, rmSync } from "node:fs";
import { chmod, copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import { lookAtContent } from "../content/filesystem/filesystem.ts";
import { openMigratedStorage, openStorage, type Storage, type StorageOptions } from "../open.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { isOutdated, migrateCopy, NewerDatabase } from "../sqlite/migrate.ts";
import {
  becomeOwner,
  type DataFolder,
  dataFolder,
  explainedDamage,
  folderFailure,
  isFull,
  isWritable,
  requireDatabase,
  UnusableDataFolder,
} from "./data-folder.ts";
import { clearingUpAtEnd } from "./ending.ts";

/** Metadata and content, opened to be looked at. */
export interface ReadOnlyStorage extends Pick<Storage, "store" | "close"> {
  readonly content: Pick<ContentStore, "hash" | "list">;
}

/**
 * Looks at what is in the data folder, which must be there. Changes nothing but the schema of the database, and not
 * that of a backup. Root does it as the folder's owner. Throws UnusableDataFolder.
 */
export async function lookAtStorage<T>(
  { dataDir }: StorageOptions,
  look: (storage: ReadOnlyStorage) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(dataDir);
  requireDatabase(folder);
  becomeOwner(dataDir);
  const storage = await openStorageToLook(folder);
  try {
    return await look(storage);
  } catch (error) {
    throw explainedDamage(folder, error);
  } finally {
    storage.close();
  }
}

/**
 * Opens what is in the folder for looking at it. A backup stays as it was made, or it could not be restored: where an
 * earlier executable made it, or it is write-protected, a copy of its database is brought to the schema of this
 * executable, and opened. Throws UnusableDataFolder.
 */
export async function openStorageToLook(folder: DataFolder): Promise<ReadOnlyStorage> {
  const staysAsItIs = existsSync(folder.description) && (!isWritable(folder) || isOutdated(folder.database));
  const { store, close } = await (staysAsItIs ? openCopy(folder) : openMigratedStorage({ dataDir: folder.root }));
  return { store, content: lookAtContent(folder.content), close };
}

// --- internal ---

/**
 * The copy holds everybody's keys: it loses its name as soon as SQLite has its files open, so that nothing of it
 * outlives the process, however that ends.
 */
async function openCopy(folder: DataFolder): Promise<Storage> {
  const copy = dataFolder(join(tmpdir(), `vitrine-look-${crypto.randomUUID()}`));
  const removeNames = () => rmSync(copy.root, { recursive: true, force: true });
  return clearingUpAtEnd(removeNames, async () => {
    try {
      mkdirSync(copy.root, { mode: 0o700 });
      for (const file of databaseFiles(folder.database)) await copyWritable(file, join(copy.root, basename(file)));
      await migrateCopy(copy.database);
      return openStorage({ dataDir: copy.root });
    } catch (error) {
      throw copyFailure(folder, copy, error);
    } finally {
      removeNames();
    }
  });
}

/** The mode comes with the copy. */
async function copyWritable(file: string, copy: string): Promise<void> {
  await copyFile(file, copy);
  await chmod(copy, 0o600);
}

/** Returns the failure in one line that names the folder it is of: the temporary one, or the one that is looked at. */
function copyFailure(folder: DataFolder, copy: DataFolder, error: unknown): unknown {
  if (isFull(copy, error)) {
    const detail = `the temporary folder ${tmpdir()} has no room for a copy of ${folder.database}`;
    return new UnusableDataFolder(detail, "free some space there, or set another one in TMPDIR");
  }
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === "mkdir" || /^SQLITE_(READONLY|CANTOPEN|PERM|IOERR)/.test(errorCode(error))) {
    const detail = `the temporary folder ${tmpdir()} cannot be used (${messageOf(error)})`;
    return new UnusableDataFolder(detail, "set another one in TMPDIR");
  }
  if (syscall === "copyfile") {
    return new UnusableDataFolder(
      `${folder.database} cannot be read by uid ${process.getuid?.()}, who runs this (${messageOf(error)})`,
    );
  }
  if (error instanceof NewerDatabase) {
    return new UnusableDataFolder(error.message.replace(copy.database, folder.database));
  }
  return folderFailure(folder, error);
}
