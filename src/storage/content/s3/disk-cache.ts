import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";
import { inBatches } from "../../../domain/in-batches.ts";
import type { PlacedContent } from "../../../domain/ports/store/content-objects.ts";
import { MINUTE } from "../../../domain/timestamp.ts";
import type { EnsureSpace } from "../../disk/space-guard.ts";
import { type CachedContent, CacheIndex } from "./cache-index.ts";
import { fileNameOf } from "./names.ts";

interface DiskCacheOptions {
  readonly folder: string;
  /** The maximum size of all cached objects. */
  readonly bytes: number;
  readonly ensureSpace: EnsureSpace;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Logs problems of the index. */
  readonly report: (error: unknown) => void;
}

/** The last use of an object is recorded at most this often. */
const USE_INTERVAL_MS = MINUTE;

/** The time without progress after which a claim to fetch an object ends. */
const CLAIM_MS = MINUTE;

/** Eviction candidates per query. */
const EVICTED_AT_ONCE = 20;

/** Objects per query of the records. */
const ASKED_AT_ONCE = 1000;

/** Objects whose last use one thread remembers. */
const MAX_REMEMBERED = 10_000;

/** Returns the folder for content that is being written. */
export function stagingIn(folder: string): string {
  return join(folder, "staging");
}

/**
 * Creates the folder of the cache, and removes leftovers of a crash. Call it before any thread opens it. With a damaged
 * index, the cache starts empty.
 */
export function prepareDiskCache(folder: string): void {
  makeFolders(folder);
  rmSync(stagingIn(folder), { recursive: true, force: true });
  mkdirSync(stagingIn(folder), { mode: 0o700 });
  try {
    reconcile(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
    makeFolders(folder);
  }
}

/**
 * The objects on this node's disk, each complete and verified. The least recently used ones are evicted when the budget
 * is used up.
 */
export class DiskCache {
  readonly index: CacheIndex;
  readonly #used = new Map<string, number>();

  constructor(readonly options: DiskCacheOptions) {
    makeFolders(options.folder);
    this.index = new CacheIndex(indexIn(options.folder));
  }

  /** Returns the location of content in the cache, and records its use; null if it is not cached. */
  find(digest: string): CachedContent | null {
    return this.#withIndex(null, () => {
      const found = this.index.find(digest);
      if (found) this.#use(found);
      return found;
    });
  }

  /** Claims an object to be fetched by this thread; false if another one is fetching it. */
  claim(object: string): boolean {
    const now = this.options.now();
    return this.#withIndex(true, () => this.index.claim(object, now, now + CLAIM_MS));
  }

  /** Returns whether a thread is fetching an object. */
  isClaimed(object: string): boolean {
    return this.#withIndex(false, () => this.index.isClaimed(object, this.options.now()));
  }

  /** Extends the claim while the fetch makes progress. */
  prolong(object: string): void {
    this.#withIndex(undefined, () => this.index.prolong(object, this.options.now() + CLAIM_MS));
  }

  release(object: string): void {
    this.#withIndex(undefined, () => this.index.release(object));
  }

  /** Returns the file of a cached object. */
  fileOf(object: string): string {
    return fileIn(this.options.folder, object);
  }

  /** Returns whether an object of this size may be cached. */
  admits(size: number): boolean {
    return size <= this.options.bytes;
  }

  /** Takes over the file of a complete and verified object, and evicts others to make room. */
  add(name: string, size: number, contents: readonly PlacedContent[], file: string): void {
    renameSync(file, this.fileOf(name));
    try {
      this.index.add({ name, size }, contents, this.options.now());
    } catch (error) {
      // Nothing would count it, or evict it.
      rmSync(this.fileOf(name), { force: true });
      throw error;
    }
    this.#evict(name);
  }

  /**
   * Removes the objects that are not in the bucket any more, because their content was purged or moved. `recorded`
   * returns those of up to 1,000 names that are still there. Returns the number of removed objects.
   */
  async dropDeleted(recorded: (names: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    const names = this.#withIndex([], () => this.index.all()).map(({ name }) => name);
    let dropped = 0;
    for await (const asked of inBatches(names, ASKED_AT_ONCE)) {
      const kept = await recorded(asked);
      const deleted = asked.filter((name) => !kept.has(name));
      for (const name of deleted) this.drop(name);
      dropped += deleted.length;
    }
    return dropped;
  }

  /** Removes a damaged or deleted object. */
  drop(object: string): void {
    this.#withIndex(undefined, () => this.index.remove(object));
    rmSync(this.fileOf(object), { force: true });
  }

  close(): void {
    this.index.close();
  }

  // --- internal ---

  #use({ object, usedAt }: CachedContent): void {
    const now = this.options.now();
    if (now - Math.max(usedAt, this.#used.get(object) ?? 0) < USE_INTERVAL_MS) return;
    if (this.#used.size >= MAX_REMEMBERED) this.#used.clear();
    this.#used.set(object, now);
    this.index.use(object, now);
  }

  /** A full disk or a damaged index does not affect readers. */
  #withIndex<T>(otherwise: T, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!errorCode(error).startsWith("SQLITE_")) throw error;
      this.options.report(error);
      return otherwise;
    }
  }

  #evict(newest: string): void {
    let over = this.index.total() - this.options.bytes;
    while (over > 0) {
      const oldest = this.index.oldest(EVICTED_AT_ONCE).filter(({ name }) => name !== newest);
      if (oldest.length === 0) return;
      for (const { name, size } of oldest) {
        if (over <= 0) return;
        this.drop(name);
        over -= size;
      }
    }
  }
}

// --- internal ---

function indexIn(folder: string): string {
  return join(folder, "index.db");
}

function filesIn(folder: string): string {
  return join(folder, "objects");
}

function fileIn(folder: string, object: string): string {
  return join(filesIn(folder), fileNameOf(object));
}

function makeFolders(folder: string): void {
  for (const path of [filesIn(folder), stagingIn(folder)]) {
    if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}

/** Removes objects whose file is missing or has another size, and files without an object. */
function reconcile(folder: string): void {
  const index = new CacheIndex(indexIn(folder));
  try {
    index.releaseAll();
    const files = new Set(readdirSync(filesIn(folder)));
    for (const { name, size } of index.all()) {
      const file = fileIn(folder, name);
      if (files.delete(fileNameOf(name)) && statSync(file).size === size) continue;
      index.remove(name);
      rmSync(file, { force: true });
    }
    for (const name of files) rmSync(join(filesIn(folder), name), { force: true });
  } finally {
    index.close();
  }
}
