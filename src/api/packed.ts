import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { Encoding } from "../domain/ports/store/encodings.ts";
import { negotiateEncoding } from "../serving/http/accept-encoding.ts";
import { evaluateConditions } from "../serving/http/conditional.ts";

/** A fixed response body with its encodings. */
export interface Packed {
  readonly type: string;
  /** Start of its SHA-256, hex. */
  readonly digest: string;
  /** Responses share a blob. With bytes, each response would hold a copy until a slow client has read it. */
  readonly bodies: Readonly<Partial<Record<Encoding, Blob>>>;
}

/** Compresses text once for all requests, without blocking the thread. */
export async function pack(text: string, type: string): Promise<Packed> {
  const identity = new TextEncoder().encode(text);
  const [zstd, br, gzipped] = await Promise.all([
    promisify(zstdCompress)(identity, { params: { [constants.ZSTD_c_compressionLevel]: 12 } }),
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  const digest = new Bun.CryptoHasher("sha256").update(identity).digest("hex").slice(0, 32);
  const bodies = { identity, zstd, br, gzip: gzipped };
  const blobs = Object.entries(bodies).map(([encoding, bytes]) => [encoding, new Blob([bytes])]);
  return { type, digest, bodies: Object.fromEntries(blobs) };
}

/** Returns the response with the encoding that the client prefers, or 304 if the client has it already. */
export function packedResponse(
  packed: Packed,
  request: Request,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const { type, digest, bodies } = packed;
  const sizes = Object.fromEntries(Object.entries(bodies).map(([encoding, { size }]) => [encoding, size]));
  const encoding = negotiateEncoding(request.headers, sizes);
  // A strong validator, because each encoding is a separate representation (RFC 9110 section 8.8.3.3).
  const etag = `"${digest}${encoding === "identity" ? "" : `-${encoding}`}"`;
  const headers = { ETag: etag, Vary: "Accept-Encoding", "Cache-Control": "no-cache", ...extra };
  const status = evaluateConditions(request.headers, { etag, lastModified: null });
  if (status !== 200) return new Response(null, { status, headers });
  const encoded = encoding === "identity" ? {} : { "Content-Encoding": encoding };
  return new Response(bodies[encoding], { headers: { ...headers, ...encoded, "Content-Type": type } });
}
