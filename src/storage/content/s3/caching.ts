import { setImmediate } from "node:timers/promises";
import { DomainError } from "../../../domain/errors.ts";
import type {
  ContentPlace,
  ContentPlaces,
  FilledObject,
  PlacedContent,
} from "../../../domain/ports/store/content-objects.ts";
import { cut } from "../../disk/chunks.ts";
import { type Blocks, blockLength } from "./blocks.ts";
import { type DiskCache, stagingIn } from "./disk-cache.ts";
import { MAX_PACK_BYTES } from "./names.ts";
import { spoolFile } from "./spool-file.ts";

/** Blocks of a large object that are requested ahead. */
const READ_AHEAD = 4;

/**
 * Objects above the largest pack that one thread fetches at a time: a visit of one byte fetches them whole, they take
 * disk space beside the cache until then, and their requests queue before those that visitors wait for.
 */
const MAX_LARGE_FETCHES = 2;

/** The interval at which a thread checks whether another one has fetched an object. */
const POLL_MS = 4;

/** Bytes to hash before yielding to other work. */
const HASHED_AT_ONCE = 1024 * 1024;

interface CachingPorts {
  readonly blocks: Blocks;
  readonly cache: DiskCache;
  readonly contentsOf: ContentPlaces["contentsOf"];
  /** Logs an object that could not be cached. */
  readonly report: (error: unknown) => void;
}

/** Fetches objects to the disk of this node, each by one thread at a time. */
export class Caching {
  /** By the objects that are being fetched; each promise resolves when the fetch has ended. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #awaited = new Map<string, Promise<void>>();
  #largeFetches = 0;

  constructor(readonly ports: CachingPorts) {}

  /**
   * Starts fetching the object of a content to the disk, unless that is running, or it cannot be cached, or not now.
   * Returns false if another thread is fetching it. Errors are reported, and do not affect readers of the content.
   */
  begin({ object, objectSize }: ContentPlace): boolean {
    const { cache, report } = this.ports;
    const isLarge = objectSize > MAX_PACK_BYTES;
    if (this.#running.has(object) || !cache.admits(objectSize)) return true;
    if (isLarge && this.#largeFetches >= MAX_LARGE_FETCHES) return true;
    if (!cache.claim(object)) return false;
    if (isLarge) this.#largeFetches++;
    const ended = this.#fetch({ object, objectSize })
      .catch((error: unknown) => {
        // The disk is full, or the server is unreachable. Readers of the content get that error themselves.
        if (!(error instanceof DomainError)) report(error);
      })
      .finally(() => {
        cache.release(object);
        this.#running.delete(object);
        if (isLarge) this.#largeFetches--;
      });
    this.#running.set(object, ended);
    return true;
  }

  /** Caches an object that was sent from here: the file that has it, or its bytes. What goes wrong is reported. */
  async keep({ name, size, contents }: FilledObject, from: AsyncIterable<Uint8Array> | string): Promise<void> {
    const { cache, report } = this.ports;
    if (!cache.admits(size)) return;
    try {
      const path = typeof from === "string" ? from : await this.#spool(from);
      cache.add(name, size, contents, path);
    } catch (error) {
      if (!(error instanceof DomainError)) report(error);
    }
  }

  /** Resolves once no other thread is fetching an object. All visitors of this thread share one check. */
  whileFetchedElsewhere(object: string): Promise<void> {
    const known = this.#awaited.get(object);
    if (known) return known;
    const awaited = this.#waitFor(object).finally(() => this.#awaited.delete(object));
    this.#awaited.set(object, awaited);
    return awaited;
  }

  /** Resolves once no fetch is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  // --- internal ---

  async #waitFor(object: string): Promise<void> {
    do await Bun.sleep(POLL_MS);
    while (this.ports.cache.isClaimed(object));
  }

  async #spool(chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const { folder, ensureSpace } = this.ports.cache.options;
    const file = await spoolFile(stagingIn(folder), ensureSpace);
    try {
      for await (const chunk of chunks) await file.write(chunk);
      await file.end();
      return file.path;
    } finally {
      await file.abort();
    }
  }

  async #fetch(source: Pick<ContentPlace, "object" | "objectSize">): Promise<void> {
    const { cache, contentsOf, report } = this.ports;
    const { folder, ensureSpace } = cache.options;
    const checker = new Checker(await contentsOf(source.object));
    const file = await spoolFile(stagingIn(folder), ensureSpace);
    try {
      for await (const block of this.#blocksOf(source)) {
        await checker.add(block);
        await file.write(block);
        cache.prolong(source.object);
      }
      await file.end();
      cache.add(source.object, source.objectSize, checker.whole, file.path);
    } finally {
      await file.abort();
    }
    for (const digest of checker.damaged) {
      report(new Error(`content ${digest} is damaged in the object ${source.object}: run vitrine verify`));
    }
  }

  async *#blocksOf(source: Pick<ContentPlace, "object" | "objectSize">): AsyncGenerator<Uint8Array> {
    const { blocks } = this.ports;
    const count = Math.ceil(source.objectSize / blockLength(source));
    for (let index = 0; index < count; index++) {
      for (let ahead = index + 1; ahead < Math.min(index + READ_AHEAD, count); ahead++) {
        // Its failure is thrown where it is read.
        blocks.block(source, ahead).catch(() => {});
      }
      yield await blocks.block(source, index);
    }
  }
}

/** Checks the contents of an object against their digests while its blocks are processed. */
class Checker {
  readonly whole: PlacedContent[] = [];
  readonly damaged: string[] = [];
  readonly #contents: readonly PlacedContent[];
  #next = 0;
  #at = 0;
  #hasher = new Bun.CryptoHasher("sha256");
  #hashed = 0;

  constructor(contents: readonly PlacedContent[]) {
    this.#contents = contents;
    this.#endEmpty();
  }

  async add(block: Uint8Array): Promise<void> {
    for (let from = 0; from < block.length; from += HASHED_AT_ONCE) {
      this.#addPart(block.subarray(from, from + HASHED_AT_ONCE));
      await setImmediate();
    }
  }

  // --- internal ---

  #addPart(part: Uint8Array): void {
    const end = this.#at + part.length;
    for (
      let content = this.#contents[this.#next];
      content && content.offset < end;
      content = this.#contents[this.#next]
    ) {
      const span = cut(part, this.#at, { start: content.offset, end: content.offset + content.size });
      this.#hasher.update(span);
      this.#hashed += span.length;
      if (this.#hashed < content.size) break;
      this.#end(content);
      this.#endEmpty();
    }
    this.#at = end;
  }

  /** Empty contents have no bytes to process. */
  #endEmpty(): void {
    for (let content = this.#contents[this.#next]; content?.size === 0; content = this.#contents[this.#next]) {
      this.#end(content);
    }
  }

  #end(content: PlacedContent): void {
    if (this.#hasher.digest("hex") === content.digest) this.whole.push(content);
    else this.damaged.push(content.digest);
    this.#hasher = new Bun.CryptoHasher("sha256");
    this.#hashed = 0;
    this.#next++;
  }
}
