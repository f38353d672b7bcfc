import { eachInParallel } from "../../../domain/each-in-parallel.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { PlacedBackup } from "../../../domain/model/backup-record.ts";
import type { ContentHash } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import { joined } from "../../disk/chunks.ts";
import { DESCRIPTION } from "../../folder/layout.ts";
import { BACKUPS, CONTENTS, digestOf, FILES, fileName, PARTS, partName, partOf } from "./names.ts";

/** Returns the identifiers of the complete backups, and the sizes of all parts, including unfinished backups. */
export async function listParts(objects: ObjectStore): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const found = new Map<string, Map<string, number>>();
  for await (const { name, size } of objects.list(BACKUPS)) {
    const named = partOf(name);
    if (!named) continue;
    const parts = found.get(named.id) ?? new Map<string, number>();
    found.set(named.id, parts.set(named.part, size));
  }
  return found;
}

/** Returns the complete backups with their descriptions. */
export async function listComplete(objects: ObjectStore): Promise<readonly PlacedBackup[]> {
  const complete: PlacedBackup[] = [];
  const ids = [...(await listParts(objects))].flatMap(([id, parts]) => (parts.has(DESCRIPTION) ? [id] : []));
  await eachInParallel(ids, objects.width, async (id) => {
    const made = originIn((await readText(objects, partName(id, DESCRIPTION))) ?? "");
    if (made) complete.push({ id, ...made });
  });
  return complete;
}

/** Parses a description; null if it is damaged. */
export function originIn(description: string): Pick<PlacedBackup, "createdAt" | "bytes"> | null {
  try {
    const { created_at, added_bytes = 0 } = JSON.parse(description) as { created_at: string; added_bytes?: number };
    const createdAt = Date.parse(created_at);
    return Number.isNaN(createdAt) ? null : { createdAt, bytes: added_bytes };
  } catch {
    return null;
  }
}

/** Yields the content of a backup in order. Throws `not_found` if the backup has no list of content. */
export async function* contentsOf(objects: ObjectStore, id: string): AsyncGenerator<ContentHash> {
  const chunks = await objects.read(partName(id, CONTENTS));
  if (chunks === null) throw new DomainError("not_found", `there is no complete backup ${id} in ${objects.place}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield entryOf(line, id);
  }
  if (rest !== "") throw damagedList(id);
}

export function lineOf({ digest, size }: ContentHash): string {
  return `${digest} ${size}\n`;
}

/** Returns the sizes of the content at the destination, by digest. */
export async function sizesOfContent(objects: ObjectStore): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { name, size } of objects.list(FILES)) {
    const digest = digestOf(name);
    if (digest !== null) sizes.set(digest, size);
  }
  return sizes;
}

/** Removes the parts of a backup. The description is first, because a backup without it does not count. */
export async function removeParts(objects: ObjectStore, id: string): Promise<void> {
  for (const part of PARTS.toReversed()) await objects.delete(partName(id, part));
}

/** Removes content that no complete backup needs, and parts of backups that are not complete. */
export async function sweepObjects(objects: ObjectStore): Promise<void> {
  const unneeded = await sizesOfContent(objects);
  const parts = await listParts(objects);
  // Starts with the newest, which usually needs all content, so that no other list has to be read.
  for (const id of [...parts.keys()].sort().reverse()) {
    if (!parts.get(id)?.has(DESCRIPTION)) await removeParts(objects, id);
    else if (unneeded.size > 0) for await (const { digest } of contentsOf(objects, id)) unneeded.delete(digest);
  }
  await eachInParallel(unneeded.keys(), objects.width, (digest) => objects.delete(fileName(digest)));
}

/** Returns an object as text; null if there is none. */
export async function readText(objects: ObjectStore, name: string): Promise<string | null> {
  const chunks = await objects.read(name);
  return chunks && (await joined(chunks)).toString();
}

// --- internal ---

function entryOf(line: string, id: string): ContentHash {
  const [, digest, size] = /^([0-9a-f]{64}) (\d+)$/.exec(line) ?? [];
  if (digest === undefined) throw damagedList(id);
  return { digest, size: Number(size) };
}

function damagedList(id: string): DomainError {
  return new DomainError("unavailable", `the list of files of the backup ${id} is damaged: delete that backup`);
}
