/** Content up to this size is packed with other content; larger content is a separate object. */
export const MAX_PACKED_BYTES = 1024 * 1024;

/** The maximum size of a pack, suitable for one S3 request. */
export const MAX_PACK_BYTES = 8 * 1024 * 1024;

/** The prefix of objects with content. The owner's mark does not have it. */
const FOLDER = "content/";

/**
 * Returns the name of a new object. It is random, and never used again, so that a late deletion cannot affect another
 * object.
 */
export function newObjectName(): string {
  return `${FOLDER}${Bun.randomUUIDv7()}`;
}

/** Returns the name of the file of a cached object. */
export function fileNameOf(object: string): string {
  return object.slice(FOLDER.length);
}
