import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileFailure } from "../../../domain/disk-error.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentObjectStore, ContentPlaces } from "../../../domain/ports/store/content-objects.ts";
import { withDomainErrors } from "../../../domain/translate-errors.ts";
import type { EnsureSpace } from "../../disk/space-guard.ts";
import { requireDigest } from "../require-digest.ts";
import { Blocks } from "./blocks.ts";
import { Caching } from "./caching.ts";
import { DiskCache, stagingIn } from "./disk-cache.ts";
import { openPurging } from "./purging.ts";
import { openReading, type ReadMeters } from "./reading.ts";
import { openWriting } from "./writing.ts";

/** Memory for the most recently read objects of one thread. */
const BLOCK_BYTES = 32 * 1024 * 1024;

/** Seconds after which a request for content that cannot be fetched now may succeed. */
const RETRY_SECONDS = 5;

export interface S3ContentOptions {
  /** The reader for visitors, with short time limits. */
  readonly reading: Pick<ObjectStore, "read">;
  readonly writing: Pick<ObjectStore, "read" | "write" | "deleteWithLeftovers">;
  readonly places: ContentObjectStore;
  /** Finds what visitors read, without the database if possible. */
  readonly forVisits: ContentPlaces;
  /** The folder of the disk cache, which also contains waiting uploads. */
  readonly folder: string;
  /** The size of the disk cache in bytes. */
  readonly cacheBytes: number;
  readonly ensureSpace: EnsureSpace;
  readonly meters: ReadMeters;
  /** Logs what is wrong with cached content. */
  readonly report: (error: unknown) => void;
  /**
   * Milliseconds since the epoch by a clock that all nodes share, because one node deletes what others write. Absent for
   * the machine's.
   */
  readonly now?: () => number;
  /** Milliseconds of a clock that nobody sets; replaced in tests only. */
  readonly elapsed?: () => number;
}

/** The content of one thread that serves, publishes or encodes. */
export interface S3Content {
  /** Opens the content for a separate unit of work. */
  open(): ContentStore;
  /** Removes what was deleted from the bucket, also by other nodes, from the disk cache. Returns the number of objects. */
  dropDeleted(): Promise<number>;
  /** Resolves once no fetch to the cache is running; for tests. */
  settled(): Promise<void>;
  close(): void;
}

/** Opens content in objects, with the disk cache of this node. */
export function openS3Content(options: S3ContentOptions): S3Content {
  const {
    reading,
    writing,
    places,
    forVisits,
    folder,
    cacheBytes,
    ensureSpace,
    meters,
    report,
    now = Date.now,
    elapsed,
  } = options;
  const cache = new DiskCache({ folder, bytes: cacheBytes, ensureSpace, now, report });
  const blocks = new Blocks(reading, { bytes: BLOCK_BYTES, ...(elapsed && { elapsed }) });
  const caching = new Caching({ blocks, cache, contentsOf: forVisits.contentsOf, report });
  const read = openReading({ blocks, places, locate: forVisits.locate, disk: { cache, caching }, meters });
  return {
    open() {
      const keep = caching.keep.bind(caching);
      const ports = { objects: writing, places, staging: stagingIn(folder), ensureSpace, now, keep };
      const forget = cache.drop.bind(cache);
      const deleting = openDeleting(places, stagingIn(folder), now);
      const purging = openPurging({ objects: writing, places, forget, now });
      return withFailures({ ...read, ...openWriting(ports), ...deleting, ...purging });
    },
    dropDeleted: () => cache.dropDeleted(places.recorded),
    settled: () => caching.settled(),
    close: () => cache.close(),
  };
}

/** Opens content in objects read-only, directly from the bucket, without a cache. Errors describe the problem there. */
export function openS3ContentReadOnly(
  objects: Pick<ObjectStore, "read">,
  places: ContentObjectStore,
): Pick<ContentStore, "read" | "stat" | "hash" | "list"> {
  const meters = { hit() {}, missed() {} };
  const locate = async (digest: string) => (await places.find([digest])).get(digest) ?? null;
  return openReading({ blocks: new Blocks(objects, { bytes: BLOCK_BYTES }), places, locate, disk: null, meters });
}

// --- internal ---

function openDeleting(
  places: ContentObjectStore,
  staging: string,
  now: () => number,
): Pick<ContentStore, "delete" | "deleteUnfinished"> {
  return {
    async delete(digest, writtenBefore) {
      requireDigest(digest);
      return places.delete(digest, writtenBefore);
    },

    async deleteUnfinished(before) {
      // Files have the times of the machine's clock.
      const writtenBefore = before - now() + Date.now();
      for (const name of await readdir(staging)) {
        const file = join(staging, name);
        const info = await stat(file).catch(() => null);
        if (info && info.mtimeMs < writtenBefore) await rm(file, { force: true });
      }
    },
  };
}

function withFailures(content: ContentStore): ContentStore {
  const stage = async () => withDomainErrors(await content.stage(), contentFailure);
  return withDomainErrors({ ...content, stage }, contentFailure);
}

/** Users do not see the URL of the operator's server, which is only logged. */
function contentFailure(error: unknown): unknown {
  if (error instanceof DomainError && error.kind === "unavailable" && error.extra.cause === undefined) {
    const detail = "the content storage cannot be used now: try again in a moment";
    return new DomainError("unavailable", detail, { retryAfter: RETRY_SECONDS, cause: error });
  }
  return fileFailure(error, "the content cache");
}
