import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentObjectStore } from "../../../domain/ports/store/content-objects.ts";
import { DAY } from "../../../domain/timestamp.ts";
import { MAX_PACK_BYTES } from "./names.ts";
import { rewritePack } from "./rewrite-pack.ts";

/**
 * Time until a condemned object is deleted, and until an object that was recorded but never stored is condemned. It is
 * longer than any upload or download that uses the object.
 */
const GRACE_MS = DAY;

/** A pack is rewritten if a smaller share of it is used. */
const WORTHWHILE_SHARE = 0.4;

/** Objects that are deleted before the collection yields. */
const BATCH = 100;

export interface CollectPorts {
  readonly objects: Pick<ObjectStore, "read" | "write" | "deleteWithLeftovers">;
  readonly places: ContentObjectStore;
  /** Yields to the event loop; throws to stop. */
  readonly pause: () => Promise<void>;
}

/** The figures of one collection. */
export interface Collected {
  /** Packs whose remaining content was copied. */
  readonly rewritten: number;
  /** Objects that contain nothing any more. */
  readonly condemned: number;
  /** Objects deleted after their grace period. */
  readonly deleted: number;
}

/**
 * Deletes objects without content: they are condemned in the metadata, deleted from the bucket a day later, and then
 * removed from the metadata. After a crash at any step, the next collection finishes the work, and a late deletion
 * affects only a name that is never used again. The bucket is never listed.
 */
export async function collectObjects(ports: CollectPorts, now: number): Promise<Collected> {
  const rewritten = await rewriteSparsePacks(ports, now);
  const condemned = await ports.places.condemnEmpty(now - GRACE_MS, now);
  return { rewritten, condemned, deleted: await deleteCondemned(ports, now - GRACE_MS) };
}

// --- internal ---

async function rewriteSparsePacks(ports: CollectPorts, now: number): Promise<number> {
  let rewritten = 0;
  for await (const { name, size, used } of ports.places.usage()) {
    if (size > MAX_PACK_BYTES || used === 0 || used >= size * WORTHWHILE_SHARE) continue;
    if (await rewritePack(ports, { object: name, objectSize: size }, now)) rewritten++;
    await ports.pause();
  }
  return rewritten;
}

async function deleteCondemned({ objects, places, pause }: CollectPorts, before: number): Promise<number> {
  for (let total = 0; ; ) {
    const names = await places.listCondemned(before, BATCH);
    if (names.length === 0) return total;
    await Promise.all(names.map((name) => objects.deleteWithLeftovers(name)));
    await places.deleteObjects(names);
    total += names.length;
    await pause();
  }
}
