import { existsSync } from "node:fs";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import type { Store } from "../../domain/ports/store.ts";
import {
  becomeOwner,
  type DataFolder,
  dataFolder,
  folderFailure,
  isBackup,
  lockDataFolder,
  requireDatabase,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import { openMigratedStorage, type StorageOptions } from "../open.ts";
import { connect } from "../postgres/connection.ts";
import { migrateToMove } from "../postgres/migrate.ts";
import { postgresStore } from "../postgres/store.ts";
import { inLongTransaction, type Run } from "../transfer/postgres-transaction.ts";

/** The storage of a server that cannot start meanwhile. */
export interface StoppedStorage {
  readonly folder: DataFolder;
  readonly store: Pick<Store, "contents" | "contentObjects">;
  /** The metadata in PostgreSQL as they are at the start; null if they are in the data folder. */
  readonly database: { readonly url: DatabaseUrl; readonly run: Run } | null;
}

/**
 * Runs `work` while no server uses the data folder, with the lock of the folder. Root does it as the folder's owner.
 * Throws UnusableDataFolder, also for a backup, which could no longer be restored.
 */
export async function withLockedFolder<T>(dataDir: string, work: (folder: DataFolder) => Promise<T>): Promise<T> {
  const folder = dataFolder(dataDir);
  if (isBackup(folder)) {
    throw new UnusableDataFolder(
      `${folder.root} is a backup`,
      "restore it with vitrine restore, and move the restored folder",
    );
  }
  becomeOwner(dataDir);
  const release = lockDataFolder(folder);
  if (!release) throw new UnusableDataFolder(`the data folder ${folder.root} is being served: stop the server first`);
  try {
    return await work(folder);
  } catch (error) {
    throw folderFailure(folder, error);
  } finally {
    release();
  }
}

/** Like `withLockedFolder`, with the metadata, wherever they are. No node can join while they are in PostgreSQL. */
export async function withStoppedStorage<T>(
  { dataDir, database: url }: StorageOptions,
  work: (storage: StoppedStorage) => Promise<T>,
): Promise<T> {
  if (!url) {
    requireDatabase(dataFolder(dataDir));
    return withLockedFolder(dataDir, (folder) =>
      withFolderStore(folder, (store) => work({ folder, store, database: null })),
    );
  }
  const onNodes = (folder: DataFolder): Promise<T> =>
    withStoppedNodes(url, (store, run) => work({ folder, store, database: { url, run } }));
  // A command may run on a machine that has no node.
  return existsSync(dataDir) ? withLockedFolder(dataDir, onNodes) : onNodes(dataFolder(dataDir));
}

// --- internal ---

async function withFolderStore<T>({ root }: DataFolder, work: (store: Store) => Promise<T>): Promise<T> {
  const { store, close } = await openMigratedStorage({ dataDir: root });
  try {
    return await work(store);
  } finally {
    close();
  }
}

async function withStoppedNodes<T>(
  url: DatabaseUrl,
  work: (store: StoppedStorage["store"], run: Run) => Promise<T>,
): Promise<T> {
  await migrateToMove(url);
  return inLongTransaction(url, "REPEATABLE READ", async (run) => {
    // A node that starts waits, and then fails.
    await run("LOCK TABLE nodes IN EXCLUSIVE MODE");
    const [node] = await run<{ readonly name: string }>(
      "SELECT name FROM nodes WHERE lease_ends_at + interval '1 second' > clock_timestamp() ORDER BY name",
    );
    if (node) throw new UnusableDataFolder(`the database is being served by ${node.name}: stop all nodes first`);
    const store = postgresStore(connect(url, { max: 2 }));
    try {
      return await work(store, run);
    } finally {
      store.close();
    }
  });
}
