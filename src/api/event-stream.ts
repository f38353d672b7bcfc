import type { Chunk, EventStream } from "../domain/events/person-stream.ts";
import { pullStream } from "../domain/pull-stream.ts";

/** Milliseconds after which a browser's EventSource reconnects. */
const RETRY_MS = 3000;

/**
 * Returns the response with a stream of server-sent events. Each part is created when the client is ready to
 * receive it; the stream limits what is queued meanwhile.
 */
export function eventStreamResponse(stream: EventStream, report: (error: unknown) => void): Response {
  const encoder = new TextEncoder();
  let isFirst = true;
  const body = pullStream({
    async next() {
      const chunk = await stream.next();
      if (chunk === null) return null;
      const text = isFirst ? `retry: ${RETRY_MS}\n${textOf(chunk)}` : textOf(chunk);
      isFirst = false;
      return encoder.encode(text);
    },
    close: () => stream.close(),
    failed(error) {
      report(error);
      stream.close();
    },
  });
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
  return new Response(body, { headers });
}

// --- internal ---

/** Clients store an id without data, and do not treat it as an event (HTML Standard, 9.2.6). */
function textOf({ messages, position }: Chunk): string {
  if (messages.length === 0) return `:\nid: ${position}\n\n`;
  return messages.map(({ id, type, data }) => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}
