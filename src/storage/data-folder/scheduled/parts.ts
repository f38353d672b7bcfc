import type { BackupPart } from "../../../domain/ports/backup.ts";
import type { ContentHash } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import { DESCRIPTION, SETTINGS, STORE } from "../../folder/layout.ts";
import { asFarAsReadable } from "../backup/readable-parts.ts";
import { fileName, partName } from "./names.ts";
import { contentsOf, listComplete, listParts } from "./objects.ts";

/** Returns the identifier of the given complete backup, or of the newest for null; null if there is none. */
export async function findBackup(objects: ObjectStore, wanted: string | null): Promise<string | null> {
  const complete = [...(await listComplete(objects))].sort((one, other) => other.createdAt - one.createdAt);
  const found = wanted === null ? complete[0] : complete.find(({ id }) => id === wanted);
  return found?.id ?? null;
}

/**
 * Yields the parts of a backup, content first. Content is requested ahead, with the concurrency of the destination.
 * Missing content is read as empty, and content that the disk cannot read ends early.
 */
export async function* partsOfPlace(objects: ObjectStore, id: string): AsyncGenerator<BackupPart> {
  for await (const { digest, size, chunks } of readAhead(objects, contentsOf(objects, id))) {
    yield { kind: "content", digest, size, read: () => asFarAsReadable(flattened(chunks)) };
  }
  const parts = (await listParts(objects)).get(id);
  for (const [part, kind] of [
    [SETTINGS, "settings"],
    [DESCRIPTION, "description"],
    [STORE, "store"],
  ] as const) {
    const size = parts?.get(part);
    if (size === undefined) continue;
    yield { kind, digest: "", size, read: () => flattened(objects.read(partName(id, part))) };
  }
}

// --- internal ---

type Chunks = Promise<AsyncIterable<Uint8Array> | null>;

interface Requested extends ContentHash {
  readonly chunks: Chunks;
}

async function* readAhead(objects: ObjectStore, contents: AsyncIterable<ContentHash>): AsyncGenerator<Requested> {
  const requested: Requested[] = [];
  for await (const { digest, size } of contents) {
    const chunks = objects.read(fileName(digest));
    // The failure is thrown where the chunks are read.
    chunks.catch(() => {});
    requested.push({ digest, size, chunks });
    if (requested.length === objects.width) yield requested.shift() as Requested;
  }
  yield* requested;
}

async function* flattened(chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* (await chunks) ?? [];
}
