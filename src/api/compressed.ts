import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";
import { negotiateEncoding } from "../serving/http/accept-encoding.ts";

/** A body that fits into one packet does not arrive sooner if it is compressed. */
const WORTH_BYTES = 1024;

/** Levels that take a few milliseconds for a megabyte, on a thread of the pool. */
const CODERS = {
  zstd: (bytes: Uint8Array) => promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 4 }),
} as const;

/** Both are offered with the same size, so that zstd is preferred unless the client weights them. */
const OFFERED = { zstd: 0, gzip: 0 };

/**
 * Returns the response with its JSON compressed, if the client accepts that. Only responses to GET with status 200 are
 * compressed: responses to changes may contain new secrets beside text of the request, and the compressed length would
 * reveal what they have in common. Responses that have chosen an encoding themselves, such as those with `Vary`, are
 * not changed.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const { headers } = response;
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  if (request.method !== "GET" || response.status !== 200 || !isJson || headers.has("vary")) return response;
  headers.set("Vary", "Accept-Encoding");
  const encoding = negotiateEncoding(request.headers, OFFERED);
  if (encoding !== "zstd" && encoding !== "gzip") return response;
  const bytes = await response.bytes();
  if (bytes.length < WORTH_BYTES) return new Response(bytes, { headers });
  headers.set("Content-Encoding", encoding);
  return new Response(await CODERS[encoding](bytes), { headers });
}
