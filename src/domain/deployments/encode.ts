import type { ContentStore } from "../ports/content.ts";
import type {
  ContentCoding,
  EncodedContent,
  EncodingClaim,
  EncodingOutcome,
  Encodings,
} from "../ports/store/encodings.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";

interface EncodePorts {
  readonly store: Pick<Store, "encodings">;
  /** Opens the content for a batch, with its own list of created content. */
  readonly openContent: () => BatchContent;
  readonly codec: Codec;
  readonly clock: Clock;
  /** The name of this node among those that share the store. One of its threads encodes. */
  readonly node: string;
  /** Called after each file. Yields to other work; resolves to false to stop. */
  readonly pause: () => Promise<boolean>;
}

type BatchContent = Pick<ContentStore, "read" | "stat" | "put" | "sync">;

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
/** Contents claimed and recorded at once: each record syncs the disk. */
const BATCH = 64;
/** An early end for the batch of a thread that hardly gets to run. */
const BATCH_MS = 10 * MINUTE;
/**
 * The duration of a claim: enough for the last file of a batch on a busy machine, and shorter than the time for which
 * the sweep spares unreferenced content.
 */
const CLAIM_MS = 30 * MINUTE;

/**
 * Encodes the content of active deployments that was not tried yet, one file at a time, until none is left or
 * `pause` stops it. Results are recorded in batches once they are durable, so that a crash loses at most the
 * work of the last batch. Returns the number of contents whose result was recorded.
 */
export async function encodePending(ports: EncodePorts): Promise<number> {
  const { store, clock, node: holder } = ports;
  let recorded = 0;
  for (;;) {
    const now = clock.now();
    const claims = await store.encodings.claim({ holder, now, until: now + CLAIM_MS }, BATCH);
    if (claims.length === 0) return recorded;
    const { outcomes, isStopped } = await encodeBatch(ports, claims, now + BATCH_MS);
    recorded += await store.encodings.record(outcomes, clock.now());
    if (isStopped) return recorded;
  }
}

/** Compresses content for browsers. */
export interface Codec {
  /**
   * Compresses synchronously on the calling thread: `best` may take seconds for a
   * megabyte, `fast` takes milliseconds.
   */
  compress(content: Uint8Array, coding: ContentCoding, effort: "best" | "good" | "fast"): Uint8Array;
  /** Returns the SHA-256 in lower-case hex. */
  digest(content: Uint8Array): string;
}

// --- internal ---

/** The rest of the batch at `end`, or when it is stopped, can be claimed again. */
async function encodeBatch(ports: EncodePorts, claims: readonly EncodingClaim[], end: number) {
  const content = ports.openContent();
  const outcomes: EncodingOutcome[] = [];
  let isStopped = false;
  for (const { digest, size, epoch } of claims) {
    outcomes.push({ digest, epoch, encodings: await encodeOne(ports, content, { digest, size }) });
    isStopped = !(await ports.pause());
    if (isStopped || ports.clock.now() >= end) break;
  }
  await content.sync();
  return { outcomes, isStopped };
}

async function encodeOne(
  { codec }: EncodePorts,
  content: BatchContent,
  { digest, size }: EncodedContent,
): Promise<Encodings> {
  if (size < MIN_BYTES || size > MAX_BYTES) return {};
  if ((await content.stat(digest)) === null) return {};
  const bytes = await content.read(digest);
  if (!isCompressible(codec, bytes)) return {};
  const encodings: Partial<Record<ContentCoding, EncodedContent>> = {};
  for (const coding of CODINGS) {
    const encoded = codec.compress(bytes, coding, size > MAX_BEST_BYTES ? "good" : "best");
    if (encoded.length > size * WORTHWHILE) continue;
    const stored = { digest: codec.digest(encoded), size: encoded.length };
    await content.put(stored.digest, encoded);
    encodings[coding] = stored;
  }
  return encodings;
}

function isCompressible(codec: Codec, bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return codec.compress(sample, "gzip", "fast").length <= sample.length * WORTHWHILE;
}
