import { existsSync } from "node:fs";
import { inBatches } from "../../domain/in-batches.ts";
import { type ContentHash, type ContentStore, readParts } from "../../domain/ports/content.ts";
import type { ContentObjectStore } from "../../domain/ports/store/content-objects.ts";
import { openContentReadOnly, openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { markBucket, ownershipOf } from "../content/s3/bucket.ts";
import { prepareDiskCache, stagingIn } from "../content/s3/disk-cache.ts";
import { openS3ContentReadOnly } from "../content/s3/s3-content.ts";
import { openWriting } from "../content/s3/writing.ts";
import { storeContent } from "../content/store-content.ts";
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
  return withStoppedStorage(options, order, async ({ folder, store }) => {
    const places = store.contentObjects;
    const { objects } = bucket;
    const url = (await places.bucket())?.url;
    if (mayBeDone && url === objects.place) return null;
    if (url) {
      throw new UnusableDataFolder(`the content of ${folder.root} is in a bucket already: move it back first`);
    }
    // The records of objects are from an earlier attempt, with this bucket or another one.
    const isResumed = (await ownershipOf(objects, places)) === "own";
    const source = openContentReadOnly(folder.content);
    const placed = foundIn(places);
    const isAvailable = isResumed ? placed : noneOf;
    const route = { store, source, inSource: presentIn(source), isAvailable };
    const ends = { from: folder.content, to: objects.place };
    const plan = await planMove(route);
    if (order.dryRun || plan.lost.length > 0) return { ...reportOf(plan), ...ends };

    if (!isResumed) await places.deleteAll();
    const owner = await markBucket(objects, places);
    prepareDiskCache(folder.cache);
    const ensureSpace = spaceGuard(folder.root);
    const target = openWriting({ objects, places, staging: stagingIn(folder.cache), ensureSpace, now: Date.now });
    const copies = openS3ContentReadOnly(objects, places);
    const { copied, lost } = await copyAll(plan, { ...route, target, copies }, order.progress);
    if (lost.length === 0) await places.setBucket({ owner, url: objects.place });
    return { ...reportOf(plan), copied, lost, ...ends };
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
  const isAvailable = existsSync(there.content) ? soundIn(openContentReadOnly(there.content)) : noneOf;
  const route = { store, source, inSource: foundIn(store.contentObjects), isAvailable };
  const plan = await planMove(route);
  const ends = { from: objects.place, to: there.content };
  if (dryRun || plan.lost.length > 0) return { ...reportOf(plan), ...ends };
  const target = openFilesystemContent(there.content);
  return { ...reportOf(plan), ...(await copyAll(plan, { ...route, target, copies: target }, progress)), ...ends };
}

// --- internal ---

/** Returns those of these digests that are at one place. */
type Present = (digests: readonly string[]) => Promise<ReadonlySet<string>>;

interface Route {
  readonly store: StoppedStorage["store"];
  readonly source: KeptContent;
  readonly inSource: Present;
  /** Content that an earlier attempt has copied. */
  readonly isAvailable: Present;
}

interface Plan extends Omit<MoveReport, "to" | "from"> {
  readonly copiedBytes: number;
}

/** Contents per query. No more are held in memory, however many there are. */
const BATCH = 1000;

const noneOf: Present = async () => new Set();

const foundIn =
  (places: ContentObjectStore): Present =>
  async (digests) =>
    new Set((await places.find(digests)).keys());

const presentIn = ({ stat }: KeptContent) => presentIf(async (digest) => (await stat(digest)) !== null);

const soundIn = ({ hash }: KeptContent) => presentIf(async (digest) => (await hash(digest))?.digest === digest);

function presentIf(isPresent: (digest: string) => Promise<boolean>): Present {
  return async (digests) => {
    const present = new Set<string>();
    for (const digest of digests) if (await isPresent(digest)) present.add(digest);
    return present;
  };
}

async function planMove({ store, source, inSource, isAvailable }: Route): Promise<Plan> {
  const plan = { contents: 0, bytes: 0, copied: 0, copiedBytes: 0, lost: [] as string[] };
  for await (const some of neededOf(store, source)) {
    const available = await isAvailable(some.map(({ digest }) => digest));
    const missing = some.filter(({ digest }) => !available.has(digest));
    plan.contents += some.length;
    plan.bytes += bytesOf(some);
    plan.copied += missing.length;
    plan.copiedBytes += bytesOf(missing);
  }
  for await (const some of inBatches(store.contents.list(), BATCH)) {
    const found = await inSource(some.map(({ digest }) => digest));
    plan.lost.push(...some.map(({ digest }) => digest).filter((digest) => !found.has(digest)));
  }
  return plan;
}

/** Yields everything that the metadata refers to: content of deployments, encodings, and condemned content. */
async function* neededOf(
  { contents }: StoppedStorage["store"],
  source: KeptContent,
): AsyncGenerator<readonly ContentHash[]> {
  for await (const some of inBatches(source.list(), BATCH)) {
    const strays = new Set(await contents.unknown(some.map(({ digest }) => digest)));
    yield some.filter(({ digest }) => !strays.has(digest));
  }
}

interface Copying extends Route {
  readonly target: Pick<ContentStore, "put" | "stage" | "sync">;
  readonly copies: Pick<ContentStore, "hash">;
}

/**
 * Copies the content that the target does not have, then reads all of it back. Returns how much was copied, and the
 * digests of damaged content.
 */
async function copyAll(
  { bytes, copiedBytes }: Plan,
  { store, source, isAvailable, target, copies }: Copying,
  progress: MoveProgress,
): Promise<Pick<MoveReport, "copied" | "lost">> {
  const damaged = new Set<string>();
  let copied = 0;
  progress.begin("copying", copiedBytes, "byte");
  for await (const some of neededOf(store, source)) {
    const available = await isAvailable(some.map(({ digest }) => digest));
    for (const { digest, size } of some) {
      if (available.has(digest)) continue;
      if (!(await storeContent(target, digest, readParts(source, digest)))) damaged.add(digest);
      copied++;
      progress.advance(size);
    }
  }
  await target.sync();
  progress.begin("verifying", bytes, "byte");
  for await (const some of neededOf(store, source)) {
    for (const { digest, size } of some) {
      if (!damaged.has(digest) && (await copies.hash(digest))?.digest !== digest) damaged.add(digest);
      progress.advance(size);
    }
  }
  return { copied, lost: [...damaged] };
}

function reportOf({ contents, bytes, copied, lost }: Plan) {
  return { contents, bytes, copied, lost };
}

function bytesOf(contents: readonly ContentHash[]): number {
  return contents.reduce((sum, { size }) => sum + size, 0);
}
