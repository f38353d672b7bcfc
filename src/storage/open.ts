import type { ContentStore } from "../domain/ports/content.ts";
import type { Store } from "../domain/ports/store.ts";
import { openFilesystemContent, upgradeContentFolder } from "./content/filesystem/filesystem.ts";
import {
  type DataFolder,
  dataFolder,
  discardUnfinished,
  folderFailure,
  prepareDatabase,
} from "./data-folder/data-folder.ts";
import { type GenerationCell, newGenerationCell } from "./sqlite/generation.ts";
import { createReserveFile } from "./sqlite/reserve-file.ts";
import { openSqliteStore } from "./sqlite/store.ts";

/** The location of metadata and content. It can be posted to a thread. */
export interface StorageOptions {
  readonly dataDir: string;
  /**
   * Shared between the threads of a process, so that each sees the others' changes at once. A single thread does not
   * need it.
   */
  readonly generation?: GenerationCell;
}

/** Metadata and content, opened by one thread. */
export interface Storage {
  readonly store: Store;
  /** Opens the content for a separate unit of work, with its own undo and sync. */
  openContent(): ContentStore;
  /** Creates the reserve file, so that changes that free space work on a full disk. */
  createReserveFile(): void;
  close(): void;
}

/** Returns the options for all threads of this process. */
export function sharedStorage(dataDir: string): StorageOptions {
  return { dataDir, generation: newGenerationCell() };
}

/**
 * Migrates metadata and content, and removes leftovers of a crash. Call it with the folder's lock, before anybody else
 * opens them. Throws UnusableDataFolder.
 */
export async function prepareStorage(folder: DataFolder): Promise<void> {
  await prepareDatabase(folder);
  discardUnfinished(folder);
  upgradeContentFolder(folder.content);
}

/** Opens migrated metadata and content. */
export function openStorage({ dataDir, generation }: StorageOptions): Storage {
  const { database, content } = dataFolder(dataDir);
  const store = openSqliteStore(database, generation);
  return {
    store,
    openContent: () => openFilesystemContent(content),
    createReserveFile: () => createReserveFile(database),
    close: () => store.close(),
  };
}

/**
 * Like `openStorage`, for a command that runs beside a server: migrates the metadata first. Throws UnusableDataFolder.
 */
export async function openMigratedStorage(options: StorageOptions): Promise<Storage> {
  const folder = dataFolder(options.dataDir);
  await prepareDatabase(folder);
  try {
    return openStorage(options);
  } catch (error) {
    throw folderFailure(folder, error);
  }
}
