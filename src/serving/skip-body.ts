import type { Connection } from "../domain/ports/connection.ts";
import { SECOND } from "../domain/timestamp.ts";

/** Forms and scripts send less, and only the API accepts uploads. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TIME_MS = 10 * SECOND;

/** Delays a response that needs no body until the request was received completely. */
export function afterBody(
  request: Request,
  connection: Connection,
  response: Response | Promise<Response>,
): Response | Promise<Response> {
  return request.body !== null && connection.secure ? withBodySkipped(request, response) : response;
}

async function withBodySkipped(request: Request, early: Response | Promise<Response>): Promise<Response> {
  const response = await early;
  await skipBody(request);
  return response;
}

/**
 * Reads the rest of a request's body, unless it is too long or takes too long. Many clients lose a response that comes
 * before the end of their body: over HTTP/2, curl 7.88 reports a framing error. Never rejects.
 */
export async function skipBody(request: Request, time = MAX_TIME_MS): Promise<void> {
  const { body } = request;
  if (body === null || body.locked || Number(request.headers.get("content-length") ?? 0) > MAX_BYTES) return;
  const reader = body.getReader();
  const giveUp = () => reader.cancel().catch(() => {});
  const timer = setTimeout(giveUp, time);
  try {
    for (let read = 0; read <= MAX_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      read += value.length;
    }
    giveUp();
  } catch {
    // The client has disconnected.
  } finally {
    clearTimeout(timer);
  }
}
