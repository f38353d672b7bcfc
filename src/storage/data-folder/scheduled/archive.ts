import { TAR_END, tarHeader, tarPadding } from "../../../archive/tar/header.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { BackupArchive } from "../../../domain/ports/backup-place.ts";
import type { ByteSpan } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import { cut } from "../../disk/chunks.ts";
import { DESCRIPTION, SETTINGS, STORE } from "../../folder/layout.ts";
import { fileName, partName } from "./names.ts";
import { contentsOf, listParts, originIn, readText } from "./objects.ts";

/**
 * Returns a backup as a tar archive in the layout of `vitrine backup FILE`. Its bytes are always the same, so that a
 * download can be resumed, and nothing of it is stored.
 */
export async function backupArchive(objects: ObjectStore, id: string): Promise<BackupArchive | null> {
  const parts = (await listParts(objects)).get(id);
  const made = originIn((await readText(objects, partName(id, DESCRIPTION))) ?? "");
  if (!parts || made === null) return null;
  const entries = () => entriesOf(objects, id, parts);
  let size = TAR_END.length;
  for await (const entry of entries()) size += lengthOf(entry);
  return { size, read: (span) => bytesOf(objects, entries(), made.createdAt, span) };
}

// --- internal ---

/** A file in the archive. */
interface Entry {
  readonly name: string;
  readonly size: number;
  readonly object: string;
}

const HEADER_BYTES = 512;

async function* entriesOf(objects: ObjectStore, id: string, parts: ReadonlyMap<string, number>): AsyncGenerator<Entry> {
  for await (const { digest, size } of contentsOf(objects, id)) {
    yield { name: `content/${digest.slice(0, 2)}/${digest}`, size, object: fileName(digest) };
  }
  for (const part of [SETTINGS, DESCRIPTION, STORE] as const) {
    const size = parts.get(part);
    if (size !== undefined) yield { name: part, size, object: partName(id, part) };
  }
}

function lengthOf({ size }: Entry): number {
  return HEADER_BYTES + size + tarPadding(size);
}

/** Yields the range, without reading what precedes it. */
async function* bytesOf(
  objects: ObjectStore,
  entries: AsyncIterable<Entry>,
  modifiedAt: number,
  { start, end }: ByteSpan,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const entry of entries) {
    if (at >= end) return;
    const after = at + lengthOf(entry);
    if (after > start) yield* entryBytes(objects, entry, modifiedAt, { start: start - at, end: end - at });
    at = after;
  }
  yield cut(TAR_END, at, { start, end });
}

/** Yields the range of one entry, which may extend beyond the entry. */
async function* entryBytes(
  objects: ObjectStore,
  { name, size, object }: Entry,
  modifiedAt: number,
  span: ByteSpan,
): AsyncGenerator<Uint8Array> {
  yield cut(tarHeader(name, size, modifiedAt), 0, span);
  const wanted = { start: Math.max(0, span.start - HEADER_BYTES), end: Math.min(size, span.end - HEADER_BYTES) };
  if (wanted.start < wanted.end) yield* exactly(await objects.read(object, wanted), wanted.end - wanted.start, object);
  yield cut(new Uint8Array(tarPadding(size)), HEADER_BYTES + size, span);
}

/** Throws if there are fewer bytes than declared, because a shorter archive would be taken for complete. */
async function* exactly(
  chunks: AsyncIterable<Uint8Array> | null,
  length: number,
  object: string,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of chunks ?? []) {
    read += chunk.length;
    yield chunk;
  }
  if (read !== length) throw new DomainError("unavailable", `${object} of the backup is missing or damaged: verify it`);
}
