import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentObjectStore, PlacedContent } from "../../../domain/ports/store/content-objects.ts";
import { chunksOf } from "../../disk/chunks.ts";
import { Blocks, MissingObject } from "./blocks.ts";
import { newObjectName } from "./names.ts";

interface RewritePorts {
  readonly objects: Pick<ObjectStore, "read" | "write">;
  readonly places: Pick<ContentObjectStore, "contentsOf" | "intend" | "move">;
}

interface StoredObject {
  readonly object: string;
  readonly objectSize: number;
}

/**
 * Copies the undamaged content of a pack to a new object, except some. Damaged content keeps its location, so that
 * verification finds it. Returns false if nothing was copied.
 */
export async function rewritePack(
  { objects, places }: RewritePorts,
  source: StoredObject,
  now: number,
  except: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const pack = await readPack(objects, source);
  const contents: PlacedContent[] = [];
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (const content of await places.contentsOf(source.object)) {
    if (except.has(content.digest)) continue;
    const bytes = pack.subarray(content.offset, content.offset + content.size);
    if (Bun.CryptoHasher.hash("sha256", bytes, "hex") !== content.digest) continue;
    contents.push({ ...content, offset: size });
    pieces.push(bytes);
    size += bytes.length;
  }
  if (contents.length === 0) return false;
  const name = newObjectName();
  await places.intend(name, now);
  await objects.write(name, chunksOf(pieces));
  return places.move({ name, size, contents }, source.object);
}

// --- internal ---

/** Returns the bytes of a pack; none of a pack that is gone or cut off, which must not keep others from being collected. */
async function readPack(objects: RewritePorts["objects"], source: StoredObject): Promise<Uint8Array> {
  try {
    return await new Blocks(objects, { bytes: 0 }).block(source, 0);
  } catch (error) {
    if (error instanceof MissingObject) return new Uint8Array();
    throw error;
  }
}
