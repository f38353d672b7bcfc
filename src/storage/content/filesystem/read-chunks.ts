import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Up to this size a file is read at once: a stream of its own takes several times as long as a small file does. */
const WHOLE_BYTES = 1024 * 1024;

/** Larger than the default, which hashes at half the speed. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Yields what a file holds, chunk by chunk. Not `Bun.file(…).stream()`: what is in the page cache comes from it
 * without a turn of the event loop, however much it is, so that no signal and no timer is heard until all is read.
 */
export async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  if (statSync(file).size <= WHOLE_BYTES) yield await readFile(file);
  else yield* createReadStream(file, { highWaterMark: CHUNK_BYTES });
}
