import { errorCode } from "../../../domain/error-message.ts";
import type { ByteSpan, ContentHash, ContentStore } from "../../../domain/ports/content.ts";
import type {
  ContentLocation,
  ContentObjectStore,
  ContentPlace,
  ContentPlaces,
} from "../../../domain/ports/store/content-objects.ts";
import { requireDigest } from "../require-digest.ts";
import { type Blocks, MissingObject } from "./blocks.ts";
import type { CachedContent } from "./cache-index.ts";
import type { Caching } from "./caching.ts";
import type { DiskCache } from "./disk-cache.ts";
import { MAX_PACK_BYTES, MAX_PACKED_BYTES } from "./names.ts";

type Reading = Pick<ContentStore, "read" | "open" | "stat" | "hash" | "list">;

/** Bytes of large content that are hashed at once. */
const HASHED_BYTES = 2 * 1024 * 1024;

/** The number of verified files that one thread remembers. */
const MAX_REMEMBERED = 10_000;

/** Counts where content was read from. */
export interface ReadMeters {
  hit(): void;
  missed(): void;
}

interface ReadingPorts {
  readonly blocks: Blocks;
  readonly places: Pick<ContentObjectStore, "find" | "list">;
  readonly locate: ContentPlaces["locate"];
  /** The disk cache; null for commands, which read each content once and verify the bucket. */
  readonly disk: { readonly cache: DiskCache; readonly caching: Caching } | null;
  readonly meters: ReadMeters;
}

/** Reads content from the disk cache, or from its object, which is fetched to the cache meanwhile. */
export function openReading(ports: ReadingPorts): Reading {
  const { blocks, places, locate, disk } = ports;
  const cached = disk && verifiedReads(disk.cache);

  const read = async (digest: string, span?: ByteSpan): Promise<Uint8Array<ArrayBuffer>> => {
    requireDigest(digest);
    const bytes = await cached?.read(digest, span);
    if (bytes) {
      ports.meters.hit();
      return bytes;
    }
    const place = await requirePlace(locate, digest);
    if (disk && !(await beginFetch(disk, place))) return read(digest, span);
    ports.meters.missed();
    return readObject(blocks, place, span).catch((error) => readMoved(ports, place, span, error));
  };

  return {
    read,

    async open(digest) {
      requireDigest(digest);
      const file = await cached?.open(digest);
      if (file) {
        ports.meters.hit();
        return file;
      }
      const place = await requirePlace(locate, digest);
      if (place.size <= MAX_PACKED_BYTES) return new Blob([await read(digest)]);
      if (disk) await beginFetch(disk, place);
      return null;
    },

    async stat(digest) {
      const location = await findLocation(places, digest);
      return location && { size: location.size, modifiedAt: location.writtenAt };
    },

    async hash(digest) {
      const location = await findLocation(places, digest);
      return location && hashOf(blocks, location);
    },

    async *list() {
      for await (const { digest, size, writtenAt } of places.list()) yield { digest, size, modifiedAt: writtenAt };
    },
  };
}

// --- internal ---

async function findLocation(places: ReadingPorts["places"], digest: string): Promise<ContentLocation | null> {
  requireDigest(digest);
  return (await places.find([digest])).get(digest) ?? null;
}

async function requirePlace(locate: ReadingPorts["locate"], digest: string): Promise<ContentPlace> {
  const place = await locate(digest);
  if (place === null) throw new Error(`there is no content ${digest}`);
  return place;
}

/**
 * Begins to fetch the object of content to the cache, after a fetch by another thread. Returns false if the cache has it
 * then. If it failed, and one more thread fetches the object already, this one reads it from the bucket meanwhile:
 * otherwise a visitor would wait for each thread to fail.
 */
async function beginFetch(
  { cache, caching }: NonNullable<ReadingPorts["disk"]>,
  place: ContentPlace,
): Promise<boolean> {
  // The needed blocks of a large object are requested here, too.
  if (caching.begin(place) || place.objectSize > MAX_PACK_BYTES) return true;
  await caching.whileFetchedElsewhere(place.object);
  if (cache.find(place.digest)) return false;
  caching.begin(place);
  return true;
}

/** Reads content from the disk cache, and drops damaged files from it. Both methods return null for content that it lacks. */
function verifiedReads(cache: DiskCache) {
  /** Digests of sound files. A file is not verified while it is sent, so each is verified once. */
  const sound = new Set<string>();
  const isSound = async (found: CachedContent): Promise<boolean> => {
    if (sound.has(found.digest)) return true;
    const isWhole = found.size <= MAX_PACK_BYTES ? (await cachedBytes(cache, found)) !== null : hasLength(cache, found);
    if (!isWhole) cache.drop(found.object);
    else if (sound.size < MAX_REMEMBERED) sound.add(found.digest);
    return isWhole;
  };

  return {
    async read(digest: string, span?: ByteSpan): Promise<Uint8Array<ArrayBuffer> | null> {
      const found = cache.find(digest);
      if (!found) return null;
      const bytes = await cachedBytes(cache, found, span);
      if (bytes === null) cache.drop(found.object);
      return bytes;
    },

    async open(digest: string): Promise<Blob | null> {
      const found = cache.find(digest);
      if (!found || !(await isSound(found))) return null;
      return Bun.file(cache.fileOf(found.object)).slice(found.offset, found.offset + found.size);
    },
  };
}

/** Returns cached bytes; null if their file is missing, too short, or, if verified, damaged. */
async function cachedBytes(
  cache: DiskCache,
  { digest, object, offset, size }: CachedContent,
  span: ByteSpan = { start: 0, end: size },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const [start, end] = [Math.min(span.start, size), Math.min(span.end, size)];
  const bytes = await Bun.file(cache.fileOf(object))
    .slice(offset + start, offset + end)
    .bytes()
    .catch((error: unknown) => {
      if (errorCode(error) === "ENOENT") return null;
      throw error;
    });
  if (bytes === null || bytes.length !== end - start) return null;
  const isChecked = bytes.length === size && size <= MAX_PACK_BYTES;
  return isChecked && Bun.CryptoHasher.hash("sha256", bytes, "hex") !== digest ? null : bytes;
}

function hasLength(cache: DiskCache, { object, offset, size }: CachedContent): boolean {
  return Bun.file(cache.fileOf(object)).size >= offset + size;
}

/** Reads content from its object, and verifies it if it is small. */
async function readObject(
  blocks: Blocks,
  place: ContentPlace,
  span: ByteSpan = { start: 0, end: place.size },
): Promise<Uint8Array<ArrayBuffer>> {
  const { digest, object, offset, size } = place;
  const [start, end] = [Math.min(span.start, size), Math.min(span.end, size)];
  if (size > MAX_PACKED_BYTES) return blocks.read(place, { start: offset + start, end: offset + end });
  const bytes = await blocks.read(place, { start: offset, end: offset + size });
  if (Bun.CryptoHasher.hash("sha256", bytes, "hex") !== digest) throw new MissingObject(object);
  return bytes.slice(start, end);
}

/** Reads content whose object is gone from where it was moved; this node may not know that yet. Otherwise throws the error. */
async function readMoved(
  { blocks, places }: Pick<ReadingPorts, "blocks" | "places">,
  { digest, object }: ContentPlace,
  span: ByteSpan | undefined,
  error: unknown,
): Promise<Uint8Array<ArrayBuffer>> {
  const moved = error instanceof MissingObject ? await findLocation(places, digest) : null;
  if (moved === null || moved.object === object) throw error;
  return readObject(blocks, moved, span);
}

/** Returns the actual digest of content in an object; null if the object is missing. */
async function hashOf(blocks: Blocks, place: ContentPlace): Promise<ContentHash | null> {
  const { offset, size } = place;
  const hasher = new Bun.CryptoHasher("sha256");
  try {
    for (let at = 0; at < size; at += HASHED_BYTES) {
      const end = Math.min(at + HASHED_BYTES, size);
      hasher.update(await blocks.read(place, { start: offset + at, end: offset + end }));
    }
  } catch (error) {
    if (error instanceof MissingObject) return null;
    throw error;
  }
  return { digest: hasher.digest("hex"), size };
}
