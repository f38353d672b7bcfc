import type { Part, Span } from "./bodies.ts";

/** One frame of HTTP/2. */
export const PART_BYTES = 16 * 1024;

type ReadPart = (start: number, end: number) => Part | Promise<Part>;

/**
 * Returns a stream that reads the span part by part, each when the client has room for it: one that takes nothing keeps
 * one part in memory, and no file open. The first part is read before, so that what cannot be read is not begun.
 */
export function streamOfParts(
  read: ReadPart,
  { start, end }: Span,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>> {
  const readAt = (at: number) => read(at, Math.min(at + PART_BYTES, end));
  const first = readAt(start);
  return first instanceof Promise ? first.then(streamAfter) : streamAfter(first);

  function streamAfter(first: Part): ReadableStream<Uint8Array> {
    let at = start;
    let parts = 0;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const turned = nextTurn();
          try {
            const part = at === start ? first : await readAt(at);
            at += part.length;
            controller.enqueue(part);
            if (at === end) controller.close();
          } catch (error) {
            report(error);
            controller.error(error);
          }
          if (++parts % PARTS_A_TURN === 0) await turned;
        },
      },
      { highWaterMark: 0 },
    );
  }
}

// --- internal ---

/** A client that takes everything at once would otherwise keep everybody else waiting until the end of the file. */
const PARTS_A_TURN = 8;

let turn: Promise<void> | null = null;

/**
 * Resolves in the next turn of the event loop, which comes at once. Bun sends 256 KiB of a stream over HTTP/2 in one turn,
 * and then waits for the next without asking for it: up to 100 ms, so that 2 MB took a second.
 */
function nextTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
  return turn;
}
