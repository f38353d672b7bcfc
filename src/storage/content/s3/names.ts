/** Content up to this size lies in a pack with others; larger content is an object of its own. */
export const MAX_PACKED_BYTES = 1024 * 1024;

/** The largest pack: what one request of S3 takes well. */
export const MAX_PACK_BYTES = 8 * 1024 * 1024;

/** Objects with content begin so; the mark of the owner does not. */
const FOLDER = "content/";

/** Returns the name of a new object. It is random, and never used again: a late deletion hits nothing that is alive. */
export function newObjectName(): string {
  return `${FOLDER}${Bun.randomUUIDv7()}`;
}

/** Returns the name of the file of a cached object. */
export function fileNameOf(object: string): string {
  return object.slice(FOLDER.length);
}
