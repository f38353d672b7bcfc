import { errorCode } from "../../../domain/error-message.ts";
import type { ContentHash } from "../../../domain/ports/content.ts";
import { readChunks } from "./read-chunks.ts";

/**
 * Returns what a file holds, in chunks, whatever its size; null when there is none, no digest when the disk cannot read
 * it. Throws what keeps this process alone from reading it, which says nothing of what it holds.
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
