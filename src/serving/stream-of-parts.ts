import type { ByteSpan } from "../domain/ports/content.ts";
import { pullStream } from "../domain/pull-stream.ts";
import type { Part } from "./bodies.ts";

/** Large enough that reading it costs little compared to encryption, and small enough for thousands of slow clients. */
export const PART_BYTES = 32 * 1024;

/**
 * Returns a stream that reads the range in parts, each when the client is ready to receive it. A client that reads
 * nothing holds one part in memory, and no open file. The first part is read in advance, so that nothing is sent of
 * unreadable content.
 */
export async function streamOfParts(
  read: (span: ByteSpan) => Promise<Part>,
  { start, end }: ByteSpan,
  report: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const readAt = (at: number) => read({ start: at, end: Math.min(at + PART_BYTES, end) });
  const first = await readAt(start);
  let at = start;
  return pullStream({
    async next() {
      if (at === end) return null;
      const part = at === start ? first : await readAt(at);
      at += part.length;
      return part;
    },
    failed: report,
  });
}
