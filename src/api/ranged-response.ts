import { evaluateConditions } from "../serving/http/conditional.ts";
import { requestedRange } from "../serving/http/range.ts";

/** A file to download, whose bytes never change. */
interface Ranged {
  /** A strong entity tag, quotes included. */
  readonly etag: string;
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the bytes from `start` up to `end`, without the latter. */
  open(start: number, end: number): Blob | ReadableStream<Uint8Array>;
}

/** Returns the response with the file, or with the part of it that continues an interrupted download. */
export function rangedResponse(request: Request, { etag, size, headers: own, open }: Ranged): Response {
  const headers = { ...own, "Accept-Ranges": "bytes", ETag: etag };
  const status = evaluateConditions(request.headers, { etag, lastModified: null });
  if (status !== 200) return new Response(null, { status, headers });
  const range = requestedRange(request, { etag, size });
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "Content-Range": `bytes */${size}` } });
  }
  if (range === null) return new Response(open(0, size), { headers });
  const { start, end } = range;
  const contentRange = `bytes ${start}-${end}/${size}`;
  return new Response(open(start, end + 1), { status: 206, headers: { ...headers, "Content-Range": contentRange } });
}
