import { createReadStream, type ReadStream } from "node:fs";

/** Larger than the default, which hashes at half the speed. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Returns what a file holds, chunk by chunk. Not `Bun.file(…).stream()`: what is in the page cache comes from it
 * without a turn of the event loop, however much it is, so that no signal and no timer is heard until all is read.
 */
export function readChunks(file: string): ReadStream {
  return createReadStream(file, { highWaterMark: CHUNK_BYTES });
}
