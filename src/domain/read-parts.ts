import type { ContentStore } from "./ports/content.ts";

/** Content is read in parts of this size where all of it may not fit into memory. */
const PART_BYTES = 256 * 1024;

/** Yields content of a known size part by part, each read when it is asked for. */
export async function* readParts(
  content: Pick<ContentStore, "read">,
  digest: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; start += PART_BYTES) {
    yield await content.read(digest, "identity", { start, end: Math.min(start + PART_BYTES, size) });
  }
}
