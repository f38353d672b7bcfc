import http from "node:http";
import type { Server, TLSOptions } from "bun";
import { refuse } from "../dispatch.ts";
import { dotSegmentRoutes } from "../dot-segments.ts";
import { skipBody } from "../skip-body.ts";

/**
 * Maximum size of a request's head. A site below the dashboard's domain can set cookies for that domain, which browsers
 * then send to the dashboard and to all other sites. Four of them fill Bun's default of 16 KiB, and lock visitors out.
 * A slow client holds this much memory until its head is complete.
 */
export const MAX_HEAD_BYTES = 64 * 1024;

export interface ListenOptions {
  /** Null for every interface, IPv4 and IPv6. */
  readonly host: string | null;
  readonly port: number;
  /** Milliseconds without a byte after which a connection is closed, rounded to seconds. */
  readonly idleTimeout: number;
  readonly fetch: (request: Request, server: Server<undefined>) => Response | Promise<Response>;
  /** Responds when a handler fails, or the file that it sends cannot be read. */
  readonly respondToFailure: (error: unknown) => Response;
  readonly tls?: TLSOptions | TLSOptions[];
  /** False to disable HTTP/2 with TLS. */
  readonly http2?: boolean;
}

/**
 * Listens on the address together with the other threads (SO_REUSEPORT); the kernel distributes connections. Throws if
 * the address is not available.
 */
export function listen(options: ListenOptions): Server<undefined> {
  const { host, port, idleTimeout, fetch, respondToFailure, tls, http2 = true } = options;
  // The only way to the limit besides a flag of the runtime. It holds for the whole process.
  Reflect.set(http, "maxHeaderSize", MAX_HEAD_BYTES);
  return Bun.serve({
    hostname: host ?? "::",
    port,
    reusePort: true,
    idleTimeout: Math.ceil(idleTimeout / 1000),
    // The API has its own limits and messages. The default would abort uploads at 128 MB.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Otherwise the response to an exception is a page with source code and stack.
    development: false,
    ...(tls ? { tls, http2 } : {}),
    routes: dotSegmentRoutes(refuseTarget),
    fetch: dated(fetch),
    error: respondToFailure,
  });
}

// --- internal ---

/** Bun adds a date to every response except to HEAD; RFC 9110 section 6.6.1 requires it for all. */
function dated(fetch: ListenOptions["fetch"]): ListenOptions["fetch"] {
  return (request, server) => {
    const response = fetch(request, server);
    if (request.method !== "HEAD") return response;
    return response instanceof Promise ? response.then(withDate) : withDate(response);
  };
}

function withDate(response: Response): Response {
  response.headers.set("date", new Date().toUTCString());
  return response;
}

async function refuseTarget(request: Request): Promise<Response> {
  await skipBody(request);
  return withDate(refuse(400, "bad request: the path holds a .. segment"));
}
