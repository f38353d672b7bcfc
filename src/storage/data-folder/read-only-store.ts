import { existsSync, mkdirSync, rmSync } from "node:fs";
import { chmod, copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { clearingUpAtEnd } from "../../app/ending.ts";
import type { Config } from "../../config/settings.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import type { Store } from "../../domain/ports/store.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { isOutdated, migrateCopy, NewerDatabase } from "../sqlite/migrate.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import {
  becomeOwner,
  type DataFolder,
  dataFolder,
  explainedDamage,
  folderFailure,
  isFull,
  isWritable,
  openStore,
  requireDatabase,
  UnusableDataFolder,
} from "./data-folder.ts";

/**
 * Looks at the store of the data folder, which must be there. Changes nothing but the schema of the database, and not
 * that of a backup. Root does it as the folder's owner. Throws UnusableDataFolder.
 */
export async function lookAtStore<T>(config: Pick<Config, "dataDir">, look: (store: Store) => Promise<T>): Promise<T> {
  const folder = dataFolder(config.dataDir);
  requireDatabase(folder);
  becomeOwner(config.dataDir);
  const store = await openStoreToLook(folder);
  try {
    return await look(store);
  } catch (error) {
    throw explainedDamage(folder, error);
  } finally {
    store.close();
  }
}

/**
 * Opens the store of the folder for looking at it. A backup stays as it was made, or it could not be restored: where an
 * earlier executable made it, or it is write-protected, a copy of its database is brought to the schema of this
 * executable, and opened. Throws UnusableDataFolder.
 */
export async function openStoreToLook(folder: DataFolder): Promise<Store> {
  if (!existsSync(folder.description)) return openStore(folder);
  return isWritable(folder) && !isOutdated(folder.database) ? openStore(folder) : openCopy(folder);
}

// --- internal ---

/**
 * The copy holds everybody's keys: it loses its name as soon as SQLite has its files open, so that nothing of it
 * outlives the process, however that ends.
 */
async function openCopy(folder: DataFolder): Promise<Store> {
  const copy = dataFolder(join(tmpdir(), `vitrine-look-${crypto.randomUUID()}`));
  const removeNames = () => rmSync(copy.root, { recursive: true, force: true });
  return clearingUpAtEnd(removeNames, async () => {
    try {
      mkdirSync(copy.root, { mode: 0o700 });
      for (const file of databaseFiles(folder.database)) await copyWritable(file, join(copy.root, basename(file)));
      await migrateCopy(copy.database);
      return openSqliteStore(copy.database);
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
