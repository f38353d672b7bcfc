import type { ContentStore, Encoding } from "../ports/content.ts";
import type { EncodingSizes } from "../ports/store/encodings.ts";
import type { Store } from "../ports/store.ts";

interface EncodePorts {
  readonly store: Pick<Store, "encodings">;
  readonly content: Pick<ContentStore, "read" | "stat" | "put" | "sync">;
  readonly codec: Codec;
  /** Called after each file. Yields to other work; resolves to false to stop. */
  readonly pause: () => Promise<boolean>;
}

const CODINGS: readonly ContentCoding[] = ["zstd", "br", "gzip"];

/** Smaller content fits into the first packets uncompressed. */
const MIN_BYTES = 256;
/** Larger content would take minutes and hundreds of megabytes of memory, and is seldom text. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Up to this size the best level is worth its time: three seconds per megabyte with Brotli. */
const MAX_BEST_BYTES = 1024 * 1024;
/** The minimum saving of a stored encoding, because decompression costs the visitor's CPU time too. */
const WORTHWHILE = 0.95;
/** A sample of this size shows whether content is compressible. */
const SAMPLE_BYTES = 64 * 1024;
/** Results recorded per transaction: each one invalidates the routes of every thread. */
const BATCH = 64;

/**
 * Encodes the content of active deployments that was not tried yet, one file at a time, until none is left or
 * `pause` stops it. Results are recorded in batches once they are durable, so that a crash loses at most the
 * work of the last batch. Returns the number of contents tried.
 */
export async function encodePending(ports: EncodePorts): Promise<number> {
  let tried = 0;
  for (;;) {
    const batch = await ports.store.encodings.pending(BATCH);
    const outcomes: { digest: string; sizes: EncodingSizes }[] = [];
    let goesOn = true;
    for (const { digest, size } of batch) {
      if (!goesOn) break;
      outcomes.push({ digest, sizes: await encodeOne(ports, digest, size) });
      goesOn = await ports.pause();
    }
    await ports.content.sync();
    if (outcomes.length > 0) await ports.store.encodings.record(outcomes);
    tried += outcomes.length;
    if (!goesOn || batch.length === 0) return tried;
  }
}

// --- internal ---

async function encodeOne({ content, codec }: EncodePorts, digest: string, size: number): Promise<EncodingSizes> {
  if (size < MIN_BYTES || size > MAX_BYTES) return {};
  if ((await content.stat(digest)) === null) return {};
  const bytes = await content.read(digest);
  if (!isCompressible(codec, bytes)) return {};
  const sizes: Partial<Record<ContentCoding, number>> = {};
  for (const coding of CODINGS) {
    const encoded = codec.compress(bytes, coding, size > MAX_BEST_BYTES ? "good" : "best");
    if (encoded.length > size * WORTHWHILE) continue;
    await content.put(digest, encoded, coding);
    sizes[coding] = encoded.length;
  }
  return sizes;
}

function isCompressible(codec: Codec, bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return codec.compress(sample, "gzip", "fast").length <= sample.length * WORTHWHILE;
}

/** The stored content codings, by their HTTP names. */
type ContentCoding = Exclude<Encoding, "identity">;

/** Compresses content for browsers. */
export interface Codec {
  /**
   * Compresses synchronously on the calling thread: `best` may take seconds for a
   * megabyte, `fast` takes milliseconds.
   */
  compress(content: Uint8Array, coding: ContentCoding, effort: "best" | "good" | "fast"): Uint8Array;
}
