import { existsSync, renameSync, rmSync } from "node:fs";
import { syncPath } from "../disk/sync.ts";
import {
  type DataFolder,
  dataFolder,
  lockDataFolder,
  prepareDataFolder,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import type { Bucket, StorageOptions } from "../open.ts";
import { copyDatabase, keepUnchanged } from "../sqlite/copy-database.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import type { Release } from "../sqlite/lock.ts";
import { forgetObjects } from "../sqlite/snapshot.ts";
import { copyFromBucket, type MoveOrder, type MoveReport } from "./move-content.ts";
import { type DatabaseMove, moveFromDatabase } from "./move-database.ts";
import { realPath } from "./paths.ts";
import { holdsDatabase } from "./replace-database.ts";
import { type StoppedStorage, withStoppedStorage } from "./stopped-server.ts";

export interface FolderMove {
  /** Null if the content is in the folder already. */
  readonly content: MoveReport | null;
  /** Null if the metadata is not in PostgreSQL. */
  readonly database: DatabaseMove | null;
}

/**
 * Moves to a data folder what is elsewhere: copies content from its bucket and metadata from PostgreSQL, reads both
 * back, and only then changes their location. If the folder is not the one with the database, the database is copied
 * there, and the original is left unchanged. The objects remain in the bucket, and the rows in PostgreSQL. Throws
 * UnusableDataFolder, with nothing changed.
 */
export function moveToFolder(
  options: StorageOptions,
  to: string,
  bucketAt: (url: string) => Bucket,
  order: MoveOrder,
): Promise<FolderMove> {
  return withStoppedStorage(options, order, async (storage) => {
    using locks = new DisposableStack();
    const { folder, store, database } = storage;
    const url = (await store.contentObjects.bucket())?.url ?? null;
    const there = dataFolder(to);
    const isElsewhere = realPath(to) !== realPath(folder.root);
    const refuse = () => refuseTarget(storage, there, { url, isElsewhere });
    refuse();
    if (!order.dryRun && (isElsewhere || !existsSync(to))) locks.defer(lockTarget(to));
    if (!order.dryRun && isElsewhere && !database) locks.defer(keepUnchanged(folder.database));
    // Another move to the folder may have ended before it was locked.
    refuse();
    const content = url === null ? null : await copyFromBucket(store, bucketAt(url), there, order);
    if (content && content.lost.length > 0) return { content, database: null };
    if (database) return { content, database: await moveFromDatabase(database, there, order, url === null) };
    if (!order.dryRun) {
      if (isElsewhere) copyWithLocalContent(folder, there);
      else await setLocal(store);
    }
    return { content, database: null };
  });
}

// --- internal ---

function refuseTarget(
  { folder, database }: StoppedStorage,
  there: DataFolder,
  { url, isElsewhere }: { readonly url: string | null; readonly isElsewhere: boolean },
): void {
  if (!database && url === null) {
    throw new UnusableDataFolder(`the content of ${folder.root} is in its data folder already`);
  }
  if (url === null && isElsewhere) {
    throw new UnusableDataFolder(`the content is in ${folder.root}: name that folder`);
  }
  if ((database || isElsewhere) && holdsDatabase(there)) {
    const others = isElsewhere ? `a new one, or ${folder.root} itself` : "another one";
    throw new UnusableDataFolder(`${there.root} is a data folder already: name ${others}`);
  }
}

function lockTarget(to: string): Release {
  const release = lockDataFolder(prepareDataFolder(to));
  if (release) return release;
  throw new UnusableDataFolder(`the data folder ${to} is used by a server or another command`, "name a new one");
}

/**
 * The copy gets its final name only when it is complete, so that an incomplete folder is not taken for a data folder.
 */
function copyWithLocalContent(from: DataFolder, to: DataFolder): void {
  const partial = `${to.database}.partial`;
  for (const file of databaseFiles(partial)) rmSync(file, { force: true });
  copyDatabase(from.database, partial);
  forgetObjects(partial);
  syncPath(partial);
  renameSync(partial, to.database);
  syncPath(to.root);
}

async function setLocal({ contentObjects }: StoppedStorage["store"]): Promise<void> {
  const owner = (await contentObjects.bucket())?.owner ?? crypto.randomUUID();
  await contentObjects.setBucket({ owner, url: null });
  await contentObjects.deleteAll();
}
