import type { Connection } from "../domain/ports/connection.ts";
import { SECOND } from "../domain/timestamp.ts";

/** More is read of no body that nobody asked for: a form or a script sends less, and an upload is meant for the API. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TIME = 10 * SECOND;

/** Holds back a response that needs no body until the request was received whole. */
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
 * Reads what a request still sends, unless that is too long or takes too long. An answer that comes before the end of a
 * body is lost to many a client: over HTTP/2, curl 7.88 tells of a framing error. Never rejects.
 */
export async function skipBody(request: Request, time = MAX_TIME): Promise<void> {
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
    // Whoever sent it is gone.
  } finally {
    clearTimeout(timer);
  }
}
