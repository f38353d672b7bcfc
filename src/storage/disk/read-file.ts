import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Files up to this size are read at once, because a stream takes several times as long for them. */
const WHOLE_BYTES = 1024 * 1024;

/** Larger than the default, with which hashing takes twice as long. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Yields a file's content in chunks. `Bun.file(…).stream()` reads data in the page cache without returning to the event
 * loop, so signals and timers would wait until the whole file is read.
 */
export async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  if (statSync(file).size <= WHOLE_BYTES) yield await readFile(file);
  else yield* createReadStream(file, { highWaterMark: CHUNK_BYTES });
}
