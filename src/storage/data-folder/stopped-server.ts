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
  prepareDatabase,
  requireDatabase,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import { openStorage, type StorageOptions } from "../open.ts";
import { connect } from "../postgres/connection.ts";
import { migrateToMove, requireMigrated } from "../postgres/migrate.ts";
import { postgresStore } from "../postgres/store.ts";
import { isOutdated } from "../sqlite/migrate.ts";
import { OBJECT_TABLES } from "../sqlite/snapshot.ts";
import { inLongTransaction, type Run } from "../transfer/postgres-transaction.ts";
import { TABLES } from "../transfer/tables.ts";

/** The storage of a server that cannot start meanwhile. */
export interface StoppedStorage {
  readonly folder: DataFolder;
  readonly store: Pick<Store, "contents" | "contentObjects">;
  /** The metadata in PostgreSQL as it is at the start; null if it is in the data folder. */
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

/**
 * Like `withLockedFolder`, with the metadata, wherever they are, migrated unless it is a dry run. While they are in
 * PostgreSQL, no node can join, and no change is made.
 */
export async function withStoppedStorage<T>(
  { dataDir, database: url }: StorageOptions,
  { dryRun }: { readonly dryRun: boolean },
  work: (storage: StoppedStorage) => Promise<T>,
): Promise<T> {
  if (!url) {
    requireDatabase(dataFolder(dataDir));
    return withLockedFolder(dataDir, async (folder) => {
      await migrateStopped(folder, dryRun);
      return withFolderStore(folder, (store) => work({ folder, store, database: null }));
    });
  }
  const onNodes = (folder: DataFolder): Promise<T> => {
    const inTransaction = dryRun ? withUnchangedNodes : withStoppedNodes;
    return inTransaction(url, (run) => withNodeStore(url, (store) => work({ folder, store, database: { url, run } })));
  };
  // A command may run on a machine that has no node.
  return existsSync(dataDir) ? withLockedFolder(dataDir, onNodes) : onNodes(dataFolder(dataDir));
}

/** Migrates the database of a locked folder. Throws UnusableDataFolder, in a dry run also instead of migrating it. */
export async function migrateStopped(folder: DataFolder, dryRun: boolean): Promise<void> {
  if (dryRun && isOutdated(folder.database)) {
    throw new UnusableDataFolder(
      `${folder.database} was made by an earlier version, and a dry run changes nothing`,
      "run it again after this version was started",
    );
  }
  await prepareDatabase(folder);
}

// --- internal ---

/** Every change of a node writes to one of these tables. A move itself writes to the others. */
const LOCKED_TABLES = TABLES.filter((table) => table !== "meta" && !OBJECT_TABLES.includes(table));

async function withFolderStore<T>({ root }: DataFolder, work: (store: Store) => Promise<T>): Promise<T> {
  const { store, close } = openStorage({ dataDir: root });
  try {
    return await work(store);
  } finally {
    close();
  }
}

async function withNodeStore<T>(url: DatabaseUrl, work: (store: StoppedStorage["store"]) => Promise<T>): Promise<T> {
  const store = postgresStore(connect(url, { max: 2 }));
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

async function withStoppedNodes<T>(url: DatabaseUrl, work: (run: Run) => Promise<T>): Promise<T> {
  await migrateToMove(url);
  // Checked before anything is locked, because live nodes must not wait for the locks.
  await inLongTransaction(url, "READ COMMITTED", refuseWhileServed);
  return inLongTransaction(url, "REPEATABLE READ", async (run) => {
    // A stopped node may have left a transaction open: it commits, or PostgreSQL soon aborts it. Later changes wait for
    // the end of the move, and are refused if it succeeded.
    await run(`LOCK TABLE ${LOCKED_TABLES.join(", ")} IN SHARE MODE`);
    // A node that starts waits for the lock, and then refuses the moved database.
    await run("LOCK TABLE nodes IN EXCLUSIVE MODE");
    await refuseWhileServed(run);
    return work(run);
  });
}

function withUnchangedNodes<T>(url: DatabaseUrl, work: (run: Run) => Promise<T>): Promise<T> {
  return inLongTransaction(url, "REPEATABLE READ READ ONLY", async (run, tx) => {
    await requireMigrated(tx);
    await refuseWhileServed(run);
    return work(run);
  });
}

async function refuseWhileServed(run: Run): Promise<void> {
  const [node] = await run<{ readonly name: string }>(
    "SELECT name FROM nodes WHERE lease_ends_at + interval '1 second' > clock_timestamp() ORDER BY name",
  );
  if (node) throw new UnusableDataFolder(`the database is being served by ${node.name}: stop all nodes first`);
}
