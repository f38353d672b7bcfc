import type { ContentDeletion, ContentStore } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentLocation, ContentObjectStore } from "../../../domain/ports/store/content-objects.ts";
import { MAX_PACK_BYTES } from "./names.ts";
import { rewritePack } from "./rewrite-pack.ts";

interface PurgingPorts {
  readonly objects: Pick<ObjectStore, "read" | "write" | "deleteWithLeftovers">;
  readonly places: ContentObjectStore;
  /** Removes an object from the disk cache of this node. */
  readonly forget: (object: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Deletes contents together with the objects that hold them; the other content of a pack is copied first. So after a
 * crash at any step the contents are still found, and the purge is repeated, or their object is empty, and collected.
 * A node that does not know yet where content was moved looks it up when the object is gone: see `openReading`.
 */
export function openPurging(ports: PurgingPorts): Pick<ContentStore, "purge"> {
  const { places, now } = ports;
  return {
    async purge(deletions) {
      const objects = objectsOf(deletions, await places.find(deletions.map(({ digest }) => digest)));
      for (const [object, { objectSize, digests }] of objects) {
        if (objectSize <= MAX_PACK_BYTES) await rewritePack(ports, { object, objectSize }, now(), digests);
      }
      const deleted: string[] = [];
      for (const { digest, writtenBefore } of deletions) {
        if (await places.delete(digest, writtenBefore)) deleted.push(digest);
      }
      await deleteEmpty(ports, [...objects.keys()]);
      return deleted;
    },
  };
}

// --- internal ---

interface Affected {
  readonly objectSize: number;
  /** The contents to be deleted. */
  readonly digests: Set<string>;
}

/** Groups the contents that will be deleted by their objects. */
function objectsOf(
  deletions: readonly ContentDeletion[],
  locations: ReadonlyMap<string, ContentLocation>,
): ReadonlyMap<string, Affected> {
  const objects = new Map<string, Affected>();
  for (const { digest, writtenBefore } of deletions) {
    const location = locations.get(digest);
    if (location === undefined || location.writtenAt >= writtenBefore) continue;
    const { object, objectSize } = location;
    const affected = objects.get(object) ?? { objectSize, digests: new Set() };
    affected.digests.add(digest);
    objects.set(object, affected);
  }
  return objects;
}

/** An object that still holds damaged content stays, until that is mended or deleted. */
async function deleteEmpty({ objects, places, forget, now }: PurgingPorts, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  // Objects that are being sent were intended later.
  await places.condemnEmpty(0, now());
  for (const name of names) {
    if ((await places.contentsOf(name)).length > 0) continue;
    await objects.deleteWithLeftovers(name);
    await places.deleteObjects([name]);
    forget(name);
  }
}
