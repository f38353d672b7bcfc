import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { errorCode } from "../../domain/error-message.ts";
import type { ContentHash } from "../../domain/ports/content.ts";

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

/**
 * Hashes a file of any size in chunks. Returns null if it does not exist, and no digest if the disk cannot read it.
 * Throws errors that concern only this process, such as missing permissions.
 */
export async function hashFile(file: string): Promise<ContentHash | null> {
  const hasher = new Bun.CryptoHasher("sha256");
  let size = 0;
  try {
    for await (const chunk of readChunks(file)) {
      hasher.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    if (/^(EACCES|EPERM|ELOOP|EMFILE|ENFILE)$/.test(errorCode(error))) throw error;
    return { digest: "", size };
  }
  return { digest: hasher.digest("hex"), size };
}
