import type { ContentStore, Encoding } from "../ports/content.ts";
import type { EncodingSizes } from "../ports/store/encodings.ts";
import type { Store } from "../ports/store.ts";

interface EncodePorts {
  readonly store: Pick<Store, "encodings">;
  readonly content: Pick<ContentStore, "read" | "stat" | "put" | "sync">;
  readonly codec: Codec;
  /** Called after each file: returns a promise that lets others work, and false when there is no time for more. */
  readonly pause: () => Promise<boolean>;
}

const CODINGS: readonly ContentCoding[] = ["zstd", "br", "gzip"];

/** Smaller content fits into the first packets with its headers as it is. */
const MIN_BYTES = 256;
/** Larger content would take minutes and hundreds of megabytes; what is that large is seldom text. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Up to here the last percent is worth its time: a megabyte takes Brotli three seconds. */
const MAX_BEST_BYTES = 1024 * 1024;
/** An encoding must be so much smaller to be kept: unpacking costs the visitor's processor something too. */
const WORTHWHILE = 0.95;
/** Media and archives show within this much that they cannot be compressed. */
const SAMPLE_BYTES = 64 * 1024;
/** So many outcomes are recorded together: each time, every thread looks up its routes anew. */
const BATCH = 64;

/**
 * Encodes the content of active deployments that nobody has tried yet, one file at a time, until there is none left or
 * `pause` says so. What was done is recorded in batches, after it is durable: a crash costs the last batch's time, and
 * nothing else. Returns how many contents were tried.
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

/** Content codings that are stored, by the names of HTTP. */
export type ContentCoding = Exclude<Encoding, "identity">;

/** Compresses content for browsers. */
export interface Codec {
  /**
   * Returns the content in a coding. Works on the calling thread until it is done: `best` may take seconds for a
   * megabyte, `fast` takes milliseconds.
   */
  compress(content: Uint8Array, coding: ContentCoding, effort: "best" | "good" | "fast"): Uint8Array;
}
