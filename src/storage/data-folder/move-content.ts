import { existsSync } from "node:fs";
import { type ContentStore, readParts } from "../../domain/ports/content.ts";
import { openContentReadOnly, openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { storeContent } from "../content/filesystem/store-content.ts";
import { markBucket, ownershipOf } from "../content/s3/bucket.ts";
import { prepareDiskCache, stagingIn } from "../content/s3/disk-cache.ts";
import { openS3ContentReadOnly } from "../content/s3/s3-content.ts";
import { openWriting } from "../content/s3/writing.ts";
import { spaceGuard } from "../disk/space-guard.ts";
import { type DataFolder, UnusableDataFolder } from "../folder/data-folder.ts";
import type { Bucket, KeptContent, StorageOptions } from "../open.ts";
import { type StoppedStorage, withStoppedStorage } from "./stopped-server.ts";

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

export type MoveStep = "copying" | "verifying";

export interface MoveProgress {
  /** Called with the total before each step, in bytes of files or in rows of the database. */
  begin(step: MoveStep, total: number, unit: "byte" | "row"): void;
  advance(done: number): void;
}

export interface MoveOrder {
  readonly dryRun: boolean;
  readonly progress: MoveProgress;
}

/**
 * Copies all content from the data folder to a bucket, reads it back, and only then changes its location. An
 * interrupted move resumes. The files in the folder remain. Returns null if `mayBeDone` and all content is in this bucket
 * already. Throws UnusableDataFolder and StartFailure, with nothing changed.
 */
export function moveToBucket(
  options: StorageOptions,
  bucket: Bucket,
  order: MoveOrder,
  mayBeDone = false,
): Promise<MoveReport | null> {
  return withStoppedStorage(options, async ({ folder, store }) => {
    const places = store.contentObjects;
    const { objects } = bucket;
    const address = (await places.bucket())?.address;
    if (mayBeDone && address === objects.place) return null;
    if (address) {
      throw new UnusableDataFolder(`the content of ${folder.root} lies in a bucket already: move it back first`);
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

/** Copies all content from a bucket to a data folder and reads it back. The metadata still say that it is in the bucket. */
export async function copyFromBucket(
  store: StoppedStorage["store"],
  { objects }: Bucket,
  there: DataFolder,
  { dryRun, progress }: MoveOrder,
): Promise<MoveReport> {
  const source = openS3ContentReadOnly(objects, store.contentObjects);
  const isAvailable = async (digest: string) => existsSync(there.content) && (await holds(there, digest));
  const plan = await planMove(store, source, isAvailable);
  const report = { ...reportOf(plan), from: objects.place, to: there.content };
  if (dryRun) return report;
  const target = openFilesystemContent(there.content);
  return { ...report, lost: await copyAll(plan, source, target, target, progress) };
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

/** Returns everything that the metadata refers to: content of deployments, encodings, and condemned content. */
async function planMove(
  store: StoppedStorage["store"],
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
  progress.begin("copying", bytesOf(missing), "byte");
  for (const { digest, size } of missing) {
    if (!(await storeContent(target, digest, readParts(source, digest)))) damaged.add(digest);
    progress.advance(size);
  }
  await target.sync();
  progress.begin("verifying", bytesOf(all), "byte");
  for (const { digest, size } of all) {
    if (!damaged.has(digest) && (await copies.hash(digest))?.digest !== digest) damaged.add(digest);
    progress.advance(size);
  }
  return [...damaged];
}

async function holds({ content }: DataFolder, digest: string): Promise<boolean> {
  return (await openContentReadOnly(content).hash(digest))?.digest === digest;
}

function reportOf({ all, missing, lost }: Plan) {
  return { contents: all.length, bytes: bytesOf(all), copied: missing.length, lost };
}

function bytesOf(contents: readonly Needed[]): number {
  return contents.reduce((sum, { size }) => sum + size, 0);
}
