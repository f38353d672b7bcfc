import { existsSync, renameSync, rmSync } from "node:fs";
import { type ContentStore, readParts } from "../../domain/ports/content.ts";
import type { Store } from "../../domain/ports/store.ts";
import { openContentReadOnly, openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { storeContent } from "../content/filesystem/store-content.ts";
import { syncPath } from "../content/filesystem/unsynced.ts";
import { markBucket, ownershipOf } from "../content/s3/bucket.ts";
import { prepareDiskCache, stagingIn } from "../content/s3/disk-cache.ts";
import { openS3ContentReadOnly } from "../content/s3/s3-content.ts";
import { openWriting } from "../content/s3/writing.ts";
import { spaceGuard } from "../disk/space-guard.ts";
import { type Bucket, type KeptContent, openMigratedStorage } from "../open.ts";
import { copyDatabase } from "../sqlite/copy-database.ts";
import { databaseFiles } from "../sqlite/fold-log.ts";
import { forgetObjects } from "../sqlite/snapshot.ts";
import {
  becomeOwner,
  type DataFolder,
  dataFolder,
  folderFailure,
  lockDataFolder,
  prepareDataFolder,
  requireDatabase,
  UnusableDataFolder,
} from "./data-folder.ts";
import { realPath } from "./paths.ts";
import { holdsDatabase } from "./replace-database.ts";

export interface MoveReport {
  /** Number of needed files, and their bytes. */
  readonly contents: number;
  readonly bytes: number;
  /** Files that were copied, or would be in a dry run; the others exist from an earlier attempt. */
  readonly copied: number;
  /** Digests of files that are missing or damaged at the source. Nothing is moved while there are any. */
  readonly lost: readonly string[];
  /** The location of the files now, or after the move in a dry run. */
  readonly to: string;
  /** The previous location. The files remain there. */
  readonly from: string;
}

export interface MoveProgress {
  /** Called with the total before, and then with the bytes of each file. */
  begin(step: "copying" | "verifying", bytes: number): void;
  advance(bytes: number): void;
}

export interface MoveOrder {
  readonly dryRun: boolean;
  readonly progress: MoveProgress;
}

/**
 * Copies all content from the data folder to a bucket, reads it back, and only then changes its location. An
 * interrupted move resumes. The files in the folder remain. Throws UnusableDataFolder and StartFailure, with nothing
 * changed.
 */
export function moveToBucket(dataDir: string, bucket: Bucket, order: MoveOrder): Promise<MoveReport> {
  return withStoppedServer(dataDir, async (folder, store) => {
    const places = store.contentObjects;
    const { objects } = bucket;
    if ((await places.bucket())?.address) {
      throw new UnusableDataFolder(`the content of ${dataDir} lies in a bucket already: move it back first`);
    }
    // The records of objects are from an earlier attempt, with this bucket or another one.
    const isResumed = (await ownershipOf(objects, places)) === "own";
    const source = openContentReadOnly(folder.content);
    const isAvailable = async (digest: string) => isResumed && (await places.find([digest])).has(digest);
    const ends = { from: folder.content, to: objects.place };
    const plan = await planMove(store, source, isAvailable);
    if (order.dryRun) return { ...reportOf(plan), ...ends };

    if (!isResumed) await places.forgetAll();
    const owner = await markBucket(objects, places);
    prepareDiskCache(folder.cache);
    const ensureSpace = spaceGuard(folder.root);
    const target = openWriting({ objects, places, staging: stagingIn(folder.cache), ensureSpace, now: Date.now });
    const lost = await copyAll(plan, source, target, openS3ContentReadOnly(objects, places), order.progress);
    if (lost.length === 0) await places.setBucket({ owner, address: objects.place });
    return { ...reportOf(plan), lost, ...ends };
  });
}

/**
 * Copies all content from the bucket to a data folder, reads it back, and only then changes its location. If the folder
 * is not the one with the database, the database is copied there, and the original is left unchanged. The objects
 * remain in the bucket. Throws UnusableDataFolder, with nothing changed.
 */
export function moveToFolder(
  dataDir: string,
  to: string,
  bucketAt: (address: string) => Bucket,
  order: MoveOrder,
): Promise<MoveReport> {
  return withStoppedServer(dataDir, async (folder, store) => {
    const address = (await store.contentObjects.bucket())?.address;
    if (!address) throw new UnusableDataFolder(`the content of ${dataDir} lies in its data folder already`);
    const isElsewhere = realPath(to) !== realPath(dataDir);
    const there = dataFolder(to);
    if (isElsewhere && holdsDatabase(there)) {
      throw new UnusableDataFolder(`${to} is a data folder already: name a new one, or ${dataDir} itself`);
    }
    const source = openS3ContentReadOnly(bucketAt(address).objects, store.contentObjects);
    const isAvailable = async (digest: string) => existsSync(there.content) && (await holds(there, digest));
    const plan = await planMove(store, source, isAvailable);
    const ends = { from: address, to: there.content };
    if (order.dryRun) return { ...reportOf(plan), ...ends };

    if (isElsewhere) prepareDataFolder(to);
    const target = openFilesystemContent(there.content);
    const lost = await copyAll(plan, source, target, target, order.progress);
    if (lost.length > 0) return { ...reportOf(plan), lost, ...ends };
    if (isElsewhere) copyWithLocalContent(folder, there);
    else await setLocal(store);
    return { ...reportOf(plan), ...ends };
  });
}

// --- internal ---

interface Plan {
  readonly all: readonly Needed[];
  readonly missing: readonly Needed[];
  /** Digests of needed content that the source does not have. */
  readonly lost: readonly string[];
}

interface Needed {
  readonly digest: string;
  readonly size: number;
}

/** Digests per query. */
const BATCH = 1000;

async function withStoppedServer<T>(
  dataDir: string,
  work: (folder: DataFolder, store: Store) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(dataDir);
  requireDatabase(folder);
  becomeOwner(dataDir);
  const release = lockDataFolder(folder);
  if (!release) throw new UnusableDataFolder(`the data folder ${folder.root} is being served: stop the server first`);
  try {
    const { store, close } = await openMigratedStorage({ dataDir });
    try {
      return await work(folder, store);
    } finally {
      close();
    }
  } catch (error) {
    throw folderFailure(folder, error);
  } finally {
    release();
  }
}

/** Returns everything that the metadata refers to: content of deployments, encodings, and condemned content. */
async function planMove(
  store: Store,
  source: KeptContent,
  isAvailable: (digest: string) => Promise<boolean>,
): Promise<Plan> {
  const listed = await Array.fromAsync(source.list());
  const all: Needed[] = [];
  for (let at = 0; at < listed.length; at += BATCH) {
    const some = listed.slice(at, at + BATCH);
    const strays = new Set(await store.contents.unknown(some.map(({ digest }) => digest)));
    all.push(...some.filter(({ digest }) => !strays.has(digest)).map(({ digest, size }) => ({ digest, size })));
  }
  const found = new Set(all.map(({ digest }) => digest));
  const lost: string[] = [];
  for await (const { digest } of store.contents.list()) if (!found.has(digest)) lost.push(digest);
  const missing: Needed[] = [];
  for (const content of all) if (!(await isAvailable(content.digest))) missing.push(content);
  return { all, missing, lost };
}

/**
 * Copies the content that the target does not have, then reads all of it back. Returns the digests of missing and
 * damaged content.
 */
async function copyAll(
  { all, missing, lost }: Plan,
  source: KeptContent,
  target: Pick<ContentStore, "put" | "stage" | "sync">,
  copies: Pick<ContentStore, "hash">,
  progress: MoveProgress,
): Promise<readonly string[]> {
  if (lost.length > 0) return lost;
  const damaged = new Set<string>();
  progress.begin("copying", bytesOf(missing));
  for (const { digest, size } of missing) {
    if (!(await storeContent(target, digest, readParts(source, digest)))) damaged.add(digest);
    progress.advance(size);
  }
  await target.sync();
  progress.begin("verifying", bytesOf(all));
  for (const { digest, size } of all) {
    if (!damaged.has(digest) && (await copies.hash(digest))?.digest !== digest) damaged.add(digest);
    progress.advance(size);
  }
  return [...damaged];
}

async function holds({ content }: DataFolder, digest: string): Promise<boolean> {
  return (await openContentReadOnly(content).hash(digest))?.digest === digest;
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

async function setLocal({ contentObjects }: Store): Promise<void> {
  const owner = (await contentObjects.bucket())?.owner ?? crypto.randomUUID();
  await contentObjects.setBucket({ owner, address: null });
  await contentObjects.forgetAll();
}

function reportOf({ all, missing, lost }: Plan) {
  return { contents: all.length, bytes: bytesOf(all), copied: missing.length, lost };
}

function bytesOf(contents: readonly Needed[]): number {
  return contents.reduce((sum, { size }) => sum + size, 0);
}
