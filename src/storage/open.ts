import type { DatabaseUrl } from "../domain/database-url.ts";
import { unlessUnavailable } from "../domain/errors.ts";
import type { ContentStore } from "../domain/ports/content.ts";
import type { ObjectStore } from "../domain/ports/objects.ts";
import type { Store } from "../domain/ports/store.ts";
import { StartFailure } from "../domain/start-failure.ts";
import {
  approximateLease,
  hasOtherNodes,
  prepareCluster,
  prepareDatabase as prepareSharedDatabase,
  type SharedCluster,
} from "./cluster.ts";
import { openContentReadOnly, openFilesystemContent } from "./content/filesystem/filesystem.ts";
import { takeFolder } from "./content/owner.ts";
import { misplacedContent, ownershipOf, takeBucket } from "./content/s3/bucket.ts";
import { type Collected, collectObjects } from "./content/s3/collect.ts";
import { prepareDiskCache } from "./content/s3/disk-cache.ts";
import { openS3Content, openS3ContentReadOnly, type S3ContentOptions } from "./content/s3/s3-content.ts";
import { spaceGuard } from "./disk/space-guard.ts";
import {
  type DataFolder,
  dataFolder,
  deleteUnfinished,
  folderFailure,
  prepareDatabase,
  requireNoDatabaseElsewhere,
} from "./folder/data-folder.ts";
import { clusterMeters } from "./meters/cluster-meters.ts";
import { openClusterStore, openStoreWithoutReplica } from "./replica/store.ts";
import { type GenerationCell, newGenerationCell } from "./sqlite/generation.ts";
import { createReserveFile } from "./sqlite/reserve-file.ts";
import { openSqliteStore } from "./sqlite/store.ts";

/** What the threads of a process share of the storage. It can be posted to a thread. */
export interface SharedStorage {
  readonly dataDir: string;
  /**
   * Shared between the threads of a process, so that each sees the others' changes at once. A single thread does not
   * need it.
   */
  readonly generation?: GenerationCell;
  /** What the threads of a node share; absent for a single server, and for commands. */
  readonly cluster?: SharedCluster;
}

/** The location of metadata and content. */
export interface StorageOptions extends SharedStorage {
  /** The database of the metadata, which several nodes may share; null or absent for the data folder. */
  readonly database?: DatabaseUrl | null;
  /** The maximum number of connections to it, which the driver opens all at once. */
  readonly connections?: number;
  /** Where content is kept; null or absent for the data folder. */
  readonly bucket?: Bucket | null;
}

/** A bucket for content, with a cache in the data folder. */
export interface Bucket extends Pick<S3ContentOptions, "cacheBytes" | "meters" | "report" | "now"> {
  readonly objects: ObjectStore;
  /** The same objects, with deadlines short enough for a waiting visitor. */
  readonly forVisitors: ObjectStore;
}

/** Content that is read where it is stored, without a cache. */
export type KeptContent = Pick<ContentStore, "read" | "stat" | "hash" | "list">;

/** Metadata and content, opened by one thread. */
export interface Storage {
  readonly store: Store;
  /** Opens the content for a separate unit of work, with its own undo and sync. */
  openContent(): ContentStore;
  /** Opens the content read-only, to back it up and to verify it. */
  openContentReadOnly(): KeptContent;
  /**
   * Creates the reserve file, so that changes that free space work on a full disk; null if the metadata is not in the
   * data folder.
   */
  readonly createReserveFile: (() => void) | null;
  /** Deletes objects without content; null if content is in the data folder. */
  readonly collectObjects: ((now: number, pause: () => Promise<void>) => Promise<Collected>) | null;
  /**
   * Removes what was deleted from the bucket from this node's disk cache, and returns the number of objects; null if
   * content is in the data folder.
   */
  readonly dropDeletedFromCache: (() => Promise<number>) | null;
  close(): void;
}

/** Returns what all threads of this process share. `cluster` is null for a server without a shared database. */
export function sharedStorage(dataDir: string, cluster: SharedCluster | null): SharedStorage {
  return { dataDir, generation: newGenerationCell(), ...(cluster && { cluster }) };
}

/**
 * Migrates metadata and content, and removes leftovers of a crash. Call it with the folder's lock, before anybody else
 * opens them. Throws UnusableDataFolder, and StartFailure for a database that cannot be used.
 */
export async function prepareStorage(
  folder: DataFolder,
  { database, hasBucket }: { readonly database: DatabaseUrl | null; readonly hasBucket: boolean },
): Promise<void> {
  if (database === null) requireNoDatabaseElsewhere(folder);
  if (database === null) await prepareDatabase(folder);
  else await prepareCluster(folder, database);
  deleteUnfinished(folder);
  if (hasBucket) prepareDiskCache(folder.cache);
}

/**
 * Makes sure that the settings name the place that holds the content, and marks the bucket as this server's. Call it
 * before the content is opened, and before a node joins its cluster. Returns the error if the bucket is unreachable.
 * Throws StartFailure.
 */
export async function takeContentPlace(
  store: Store,
  { dataDir, bucket = null, database = null }: StorageOptions,
): Promise<{ away: string | null }> {
  const misplaced = await findMisplacedContent(store, bucket);
  if (misplaced !== null) throw new StartFailure(misplaced);
  if (database !== null) await requireSharedPlace(store, bucket, { dataDir, database });
  return bucket === null ? { away: null } : takeBucket(bucket.objects, store.contentObjects);
}

/** Opens migrated metadata and content. */
export function openStorage(options: StorageOptions): Storage {
  const { dataDir, database, bucket } = options;
  const folder = dataFolder(dataDir);
  const store = openStore(folder, options);
  const createReserveFileOnce = database ? null : () => createReserveFile(folder.database);
  if (bucket) return { store, createReserveFile: createReserveFileOnce, ...openBucket(folder, store, bucket) };
  return {
    store,
    openContent: () => openFilesystemContent(folder.content),
    openContentReadOnly: () => openContentReadOnly(folder.content),
    createReserveFile: createReserveFileOnce,
    collectObjects: null,
    dropDeletedFromCache: null,
    close: () => store.close(),
  };
}

/**
 * Like `openStorage`, for a command that runs beside a server: migrates the metadata first. Throws UnusableDataFolder,
 * and StartFailure for a database that cannot be used.
 */
export async function openMigratedStorage(options: StorageOptions): Promise<Storage> {
  if (options.database) {
    await prepareSharedDatabase(options.database);
    return openStorage(options);
  }
  const folder = dataFolder(options.dataDir);
  await prepareDatabase(folder);
  try {
    return openStorage(options);
  } catch (error) {
    throw folderFailure(folder, error);
  }
}

/** If content is elsewhere than the settings say, returns where, and what to do. Otherwise returns null. */
export async function findMisplacedContent(store: Store, bucket: Bucket | null | undefined): Promise<string | null> {
  const known = await store.contentObjects.bucket();
  const hasContent = bucket ? await isAnyContent(store) : false;
  return misplacedContent(known, hasContent, bucket?.objects.place ?? null);
}

// --- internal ---

/** A connection takes several queries at once, but only one transaction. */
const DEFAULT_CONNECTIONS = 2;

function openStore(folder: DataFolder, options: StorageOptions): Store {
  const { database, generation, cluster, connections: max = DEFAULT_CONNECTIONS } = options;
  if (!database) return openSqliteStore(folder.database, generation);
  if (!generation || !cluster) return openStoreWithoutReplica(database);
  const { isIsolated } = approximateLease(cluster);
  const connecting = { max, isAway: isIsolated, application: cluster.sessions, ...clusterMeters(cluster.meters) };
  return openClusterStore(database, { replica: folder.replica, cell: generation, ...connecting });
}

/** Content in a data folder is there for one node only. Throws StartFailure if others are there or would not have it. */
async function requireSharedPlace(
  store: Store,
  bucket: Bucket | null,
  { dataDir, database }: { readonly dataDir: string; readonly database: DatabaseUrl },
): Promise<void> {
  const known = await store.contentObjects.bucket();
  const isAlone = async () => !(await isAnyContent(store)) && !(await hasOtherNodes(database));
  if (bucket === null) return takeFolder(dataFolder(dataDir).root, store.contentObjects, isAlone);
  if (known === null) return;
  if (known.url !== null) return requireSameBucket(store, bucket, known.url, database);
  if (await isAlone()) return;
  throw new StartFailure(
    "another node keeps the content in its data folder: stop it, and give all nodes the same --content",
  );
}

/** Without content, nothing shows that a bucket is not the one of the other nodes except that nobody has marked it. */
async function requireSameBucket(
  { contentObjects }: Store,
  { objects }: Bucket,
  known: string,
  database: DatabaseUrl,
): Promise<void> {
  if (objects.place === known) return;
  const ownership = await unlessUnavailable(ownershipOf(objects, contentObjects), null);
  if (ownership !== "unmarked" || !(await hasOtherNodes(database))) return;
  throw new StartFailure(`the other nodes keep their content in ${known}: give all nodes the same --content`);
}

async function isAnyContent({ contents }: Store): Promise<boolean> {
  for await (const _ of contents.list()) return true;
  return false;
}

function openBucket(folder: DataFolder, store: Store, { objects, forVisitors, ...options }: Bucket) {
  const places = store.contentObjects;
  const ensureSpace = spaceGuard(folder.root);
  const content = openS3Content({
    ...options,
    reading: forVisitors,
    writing: objects,
    places,
    forVisits: store.contentPlaces,
    folder: folder.cache,
    ensureSpace,
  });
  return {
    openContent: content.open,
    openContentReadOnly: () => openS3ContentReadOnly(objects, places),
    collectObjects: (now: number, pause: () => Promise<void>) => collectObjects({ objects, places, pause }, now),
    dropDeletedFromCache: content.dropDeleted,
    close() {
      content.close();
      store.close();
    },
  };
}
