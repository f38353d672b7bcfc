import { errorCode } from "../../../domain/error-message.ts";
import { DomainError } from "../../../domain/errors.ts";
import { readParts } from "../../../domain/ports/content.ts";
import type { BackupFiles } from "./files.ts";

/**
 * Yields content in parts, as far as it can be read, so that the digest shows the damage. Otherwise one bad sector would
 * prevent every backup of everything else.
 */
export function readableParts(content: BackupFiles["content"], digest: string): AsyncGenerator<Uint8Array> {
  return asFarAsReadable(readParts(content, digest));
}

/** Ends where the disk cannot read on. Throws other errors. */
export async function* asFarAsReadable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    const cause = error instanceof DomainError ? error.extra.cause : error;
    if (errorCode(cause) !== "EIO") throw error;
  }
}
