import type { ContentStore } from "./ports/content.ts";

/** Part size for content that may not fit into memory. */
const PART_BYTES = 256 * 1024;

/** Yields content in parts, each read on request. */
export async function* readParts(content: Pick<ContentStore, "read">, digest: string): AsyncGenerator<Uint8Array> {
  for (let start = 0; ; start += PART_BYTES) {
    const part = await content.read(digest, { start, end: start + PART_BYTES });
    if (part.length > 0) yield part;
    if (part.length < PART_BYTES) return;
  }
}
