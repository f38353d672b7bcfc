import { mkdirSync, rmSync } from "node:fs";
import { chmod, copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { openContentReadOnly } from "../content/filesystem/filesystem.ts";
import { openS3ContentReadOnly } from "../content/s3/s3-content.ts";
import {
  becomeOwner,
  type DataFolder,
  dataFolder,
  explainDamage,
  folderFailure,
  isBackup,
  isDiskOfFolderFull,
  isWritable,
  requireMetadata,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import {
  findMisplacedContent,
  type KeptContent,
  openMigratedStorage,
  openStorage,
  type Storage,
  type StorageOptions,
} from "../open.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { isOutdated, migrateCopy, NewerDatabase } from "../sqlite/migrate.ts";
import { clearingUpAtEnd } from "./ending.ts";

/** Metadata and content, opened read-only. */
export interface ReadOnlyStorage extends Pick<Storage, "store" | "close"> {
  /** Throws UnusableDataFolder if content is elsewhere than the settings say. */
  openContent(): Promise<KeptContent>;
}

/**
 * Opens an existing data folder, or the metadata in PostgreSQL with its content, read-only for `look`. Changes nothing
 * except the schema of the database, and not even that of a backup. Root does it as the folder's owner. Throws UnusableDataFolder.
 */
export async function withReadOnlyStorage<T>(
  options: StorageOptions,
  look: (storage: ReadOnlyStorage) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(options.dataDir);
  requireMetadata(folder, options.database);
  becomeOwner(folder.root);
  const storage = await openReadOnlyStorage(folder, options);
  try {
    return await look(storage);
  } catch (error) {
    throw explainDamage(folder, error);
  } finally {
    storage.close();
  }
}

/**
 * Opens the folder read-only. A backup must not change, or it could not be restored. If an earlier executable made it,
 * or it is write-protected, a copy of its database is migrated and opened. Throws UnusableDataFolder.
 */
export async function openReadOnlyStorage(
  folder: DataFolder,
  { bucket = null, database = null }: Pick<StorageOptions, "bucket" | "database"> = {},
): Promise<ReadOnlyStorage> {
  if (isBackup(folder)) return openBackup(folder);
  const { store, close, openContentReadOnly } = await openMigratedStorage({ dataDir: folder.root, database });
  return {
    store,
    close,
    async openContent() {
      const misplaced = await findMisplacedContent(store, bucket);
      if (misplaced !== null) throw new UnusableDataFolder(misplaced);
      // The cache is not used, because it belongs to a server that may be running.
      return bucket === null ? openContentReadOnly() : openS3ContentReadOnly(bucket.objects, store.contentObjects);
    },
  };
}

// --- internal ---

/** The content of a backup is in its folder. */
async function openBackup(folder: DataFolder): Promise<ReadOnlyStorage> {
  const staysAsItIs = !isWritable(folder) || isOutdated(folder.database);
  const { store, close } = await (staysAsItIs ? openCopy(folder) : openMigratedStorage({ dataDir: folder.root }));
  return { store, openContent: async () => openContentReadOnly(folder.content), close };
}

/**
 * The copy contains all keys. It is unlinked as soon as SQLite has opened its files, so that nothing remains however
 * the process ends.
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

/** The copy has the mode of the original. */
async function copyWritable(file: string, copy: string): Promise<void> {
  await copyFile(file, copy);
  await chmod(copy, 0o600);
}

/** Returns the error as one line that names the affected folder: the temporary one or the original. */
function copyFailure(folder: DataFolder, copy: DataFolder, error: unknown): unknown {
  if (isDiskOfFolderFull(copy, error)) {
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
