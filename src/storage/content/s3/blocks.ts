import { DomainError } from "../../../domain/errors.ts";
import type { ByteSpan } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentLocation } from "../../../domain/ports/store/content-objects.ts";
import { SECOND } from "../../../domain/timestamp.ts";
import { MAX_PACK_BYTES } from "./names.ts";

/** Objects larger than a pack are read in blocks of this size, so that the first byte does not wait for the last. */
const LARGE_BLOCK_BYTES = 2 * 1024 * 1024;

/** Concurrent requests in one thread. Each holds a block in memory. */
const MAX_REQUESTS = 8;

/**
 * After a failure nothing is requested for this long, because each request to a hanging server waits for its deadline.
 */
const PAUSE_MS = SECOND;

/** An object to read. */
type Source = Pick<ContentLocation, "object" | "objectSize">;

interface BlockOptions {
  /** Memory for the most recently read blocks. */
  readonly bytes: number;
  /** Milliseconds of a clock that nobody sets; replaced in tests only. */
  readonly elapsed?: () => number;
}

/** Reads objects block by block. Concurrent reads of one block share a request, and the latest blocks stay in memory. */
export class Blocks {
  /** Running and finished reads, the latest last. */
  readonly #blocks = new Map<string, { readonly read: Promise<Uint8Array>; bytes: number }>();
  #bytes = 0;
  #requests = 0;
  readonly #waiting: (() => void)[] = [];
  #failure: { readonly error: unknown; readonly until: number } | null = null;

  constructor(
    readonly objects: Pick<ObjectStore, "read">,
    readonly options: BlockOptions,
  ) {}

  /**
   * Returns the bytes of a range of an object. Throws `unavailable` if the server is unreachable or the object is
   * missing.
   */
  async read(source: Source, { start, end }: ByteSpan): Promise<Uint8Array<ArrayBuffer>> {
    const length = blockLength(source);
    const [first, last] = [Math.floor(start / length), Math.floor(Math.max(start, end - 1) / length)];
    const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const blocks = await Promise.all(indexes.map((index) => this.block(source, index)));
    const offset = first * length;
    if (blocks.length === 1) return new Uint8Array((blocks[0] as Uint8Array).subarray(start - offset, end - offset));
    return new Uint8Array(Buffer.concat(blocks).subarray(start - offset, end - offset));
  }

  /** Returns one block of an object, which must not be changed. */
  block(source: Source, index: number): Promise<Uint8Array> {
    const key = `${index} ${source.object}`;
    const known = this.#blocks.get(key);
    if (known) {
      this.#blocks.delete(key);
      this.#blocks.set(key, known);
      return known.read;
    }
    const read = this.#request(source, index);
    const entry = { read, bytes: 0 };
    this.#blocks.set(key, entry);
    read.then(
      ({ length }) => {
        entry.bytes = length;
        this.#bytes += length;
        this.#evict();
      },
      () => this.#blocks.delete(key),
    );
    return read;
  }

  // --- internal ---

  async #request(source: Source, index: number): Promise<Uint8Array> {
    this.#refuseWhilePaused();
    if (this.#requests >= MAX_REQUESTS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#requests++;
    try {
      this.#refuseWhilePaused();
      return await this.#fetch(source, index);
    } catch (error) {
      if (!(error instanceof MissingObject)) this.#failure = { error, until: this.#elapsed() + PAUSE_MS };
      throw error;
    } finally {
      this.#requests--;
      this.#waiting.shift()?.();
    }
  }

  async #fetch(source: Source, index: number): Promise<Uint8Array> {
    const length = blockLength(source);
    const span = { start: index * length, end: Math.min((index + 1) * length, source.objectSize) };
    const chunks = await this.objects.read(source.object, span);
    const parts = chunks && (await Array.fromAsync(chunks));
    const block = parts?.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts ?? []);
    if (parts === null || block.length !== span.end - span.start) throw new MissingObject(source.object);
    return block;
  }

  #refuseWhilePaused(): void {
    if (this.#failure === null) return;
    if (this.#elapsed() < this.#failure.until) throw this.#failure.error;
    this.#failure = null;
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#blocks) {
      if (this.#bytes <= this.options.bytes) return;
      // A running read has no bytes yet, and others may wait for it.
      if (bytes === 0) continue;
      this.#blocks.delete(key);
      this.#bytes -= bytes;
    }
  }

  #elapsed(): number {
    return (this.options.elapsed ?? performance.now.bind(performance))();
  }
}

/** An expected object is missing or too short. */
export class MissingObject extends DomainError {
  constructor(object: string) {
    super("unavailable", `the object ${object} is missing or damaged in the bucket: run vitrine verify`);
  }
}

/** Returns the block length of an object: a pack is a single block. */
export function blockLength({ objectSize }: Pick<Source, "objectSize">): number {
  return objectSize <= MAX_PACK_BYTES ? Math.max(objectSize, 1) : LARGE_BLOCK_BYTES;
}
