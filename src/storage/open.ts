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
import { layBallast } from "./sqlite/ballast.ts";
import { type GenerationCell, newGenerationCell } from "./sqlite/generation.ts";
import { openSqliteStore } from "./sqlite/store.ts";

/** Where metadata and content are. Can be posted to a thread. */
export interface StorageOptions {
  readonly dataDir: string;
  /** Through which the threads of one process see each other's changes at once; not needed by one alone. */
  readonly generation?: GenerationCell;
}

/** Metadata and content, opened by one thread for itself. */
export interface Storage {
  readonly store: Store;
  /** Opens the content for a piece of work of its own, which is undone and made durable by itself. */
  openContent(): ContentStore;
  /** Keeps room on the disk for changes that free some. */
  layBallast(): void;
  close(): void;
}

/** Returns the options for all threads of this process. */
export function sharedStorage(dataDir: string): StorageOptions {
  return { dataDir, generation: newGenerationCell() };
}

/**
 * Brings metadata and content up to date, and removes what a crash left; for whoever holds the folder's lock, before
 * anybody else opens them. Throws UnusableDataFolder.
 */
export async function prepareStorage(folder: DataFolder): Promise<void> {
  await prepareDatabase(folder);
  discardUnfinished(folder);
  upgradeContentFolder(folder.content);
}

/** Opens metadata and content that are up to date. */
export function openStorage({ dataDir, generation }: StorageOptions): Storage {
  const { database, content } = dataFolder(dataDir);
  const store = openSqliteStore(database, generation);
  return {
    store,
    openContent: () => openFilesystemContent(content),
    layBallast: () => layBallast(database),
    close: () => store.close(),
  };
}

/** The same for a command, while a server may be running: brings the metadata up to date before. Throws UnusableDataFolder. */
export async function openMigratedStorage(options: StorageOptions): Promise<Storage> {
  const folder = dataFolder(options.dataDir);
  await prepareDatabase(folder);
  try {
    return openStorage(options);
  } catch (error) {
    throw folderFailure(folder, error);
  }
}
