import type { ContentHash } from "../../domain/ports/blobs.ts";
import { errorCode } from "../failure.ts";
import { readChunks } from "./read-chunks.ts";

/** Returns what a file holds, in chunks, whatever its size; null when there is none, no digest when it cannot be read. */
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
    return { digest: "", size };
  }
  return { digest: hasher.digest("hex"), size };
}
