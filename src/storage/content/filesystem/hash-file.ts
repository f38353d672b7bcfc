import { errorCode } from "../../../domain/error-message.ts";
import type { ContentHash } from "../../../domain/ports/content.ts";
import { readChunks } from "../../disk/read-file.ts";

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
