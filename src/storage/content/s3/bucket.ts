import { messageOf } from "../../../domain/error-message.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentBucket, ContentObjectStore } from "../../../domain/ports/store/content-objects.ts";
import { StartFailure } from "../../../domain/start-failure.ts";
import { chunksOf, joined } from "../../disk/chunks.ts";

/** The object that names the owner of the bucket, or of the part of it below the prefix. */
const MARK = "vitrine-content.json";

type Objects = Pick<ObjectStore, "place" | "read" | "write">;

/** The result of comparing the mark with the metadata. */
type Ownership = "own" | "unmarked" | "lost" | "another";

/**
 * Takes the bucket for the content of this store by writing a mark to it the first time. Throws StartFailure if another
 * store owns it, or if it has none of the content that it should have. A bucket that was used before and cannot be
 * reached is no failure: the reason is returned, and the node serves the content that it has.
 */
export async function takeBucket(objects: Objects, places: ContentObjectStore): Promise<{ away: string | null }> {
  const known = await places.bucket();
  try {
    const owner = await markBucket(objects, places);
    if (known?.url !== objects.place) await places.setBucket({ owner, url: objects.place });
    return { away: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (known?.url) return { away: error.detail };
    throw new StartFailure(error.detail);
  }
}

/**
 * Marks the bucket as this store's, unless it is marked already, and returns the owner's name. The content is not
 * moved. Throws StartFailure like `takeBucket`, and `unavailable` if the bucket cannot be used.
 */
export async function markBucket(objects: Objects, places: ContentObjectStore): Promise<string> {
  const ownership = await ownershipOf(objects, places);
  if (ownership === "another" || ownership === "lost") throw new StartFailure(OWNERSHIP_WORDS[ownership](objects));
  // The owner is stored before the mark is written: after a crash in between, nobody else could identify the owner of
  // the mark.
  const owner = await places.nameOwner(crypto.randomUUID());
  if (ownership === "unmarked") await mark(objects, owner);
  return owner;
}

/** Returns the owner of the bucket. `lost` means that the mark is missing although content was placed in a bucket. */
export async function ownershipOf(objects: Objects, places: ContentObjectStore): Promise<Ownership> {
  const owner = await readMark(objects);
  // Read after the mark, which another node of this store may write at this moment.
  const known = await places.bucket();
  if (owner !== null) return owner === known?.owner ? "own" : "another";
  return (await hasPlacedContent(places)) ? "lost" : "unmarked";
}

/** Returns the problem of the bucket, or null if it can be used. Changes nothing. */
export async function bucketProblem(objects: Objects, places: ContentObjectStore): Promise<string | null> {
  try {
    const ownership = await ownershipOf(objects, places);
    return ownership === "another" || ownership === "lost" ? OWNERSHIP_WORDS[ownership](objects) : null;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Returns the actual location of the content and a remedy if the settings name another location; null if they are
 * right.
 */
export function misplacedContent(
  bucket: ContentBucket | null,
  hasContent: boolean,
  wanted: string | null,
): string | null {
  const url = bucket?.url ?? null;
  if (wanted === null && url !== null) {
    return `the content of this server is in ${url}: give that URL with --content, or move it with vitrine move --to-data-dir`;
  }
  if (wanted !== null && url === null && hasContent) {
    return `the content of this server is in its data folder: move it with vitrine move --to-content '${wanted}'`;
  }
  return null;
}

// --- internal ---

const OWNERSHIP_WORDS: Readonly<Record<"another" | "lost", (objects: Objects) => string>> = {
  another: ({ place }) => `${place} is used by another Vitrine: give each one a bucket or a prefix of its own`,
  lost: ({ place }) => `${place} has nothing of the content that should be there: check the URL in --content`,
};

async function hasPlacedContent(places: ContentObjectStore): Promise<boolean> {
  for await (const _ of places.list()) return true;
  return false;
}

/** If two stores take an unmarked bucket at the same time, the one whose mark remains owns it. */
async function mark(objects: Objects, owner: string): Promise<void> {
  await objects.write(MARK, chunksOf([Buffer.from(JSON.stringify({ owner }))]));
  if ((await readMark(objects)) !== owner) throw new StartFailure(OWNERSHIP_WORDS.another(objects));
}

/** Returns the owner; null without a mark, and another value for a mark that cannot be read. */
async function readMark(objects: Objects): Promise<string | null> {
  const chunks = await objects.read(MARK);
  if (chunks === null) return null;
  try {
    return String(JSON.parse((await joined(chunks)).toString()).owner);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    return "";
  }
}
