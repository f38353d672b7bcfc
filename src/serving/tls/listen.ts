import type { Server, TLSOptions } from "bun";
import { refuse } from "../dispatch.ts";
import { dotSegmentRoutes } from "../dot-segments.ts";
import { skipBody } from "../skip-body.ts";

export interface ListenOptions {
  /** Null means every interface, IPv4 and IPv6. */
  readonly host: string | null;
  readonly port: number;
  /** Milliseconds without a byte after which a connection is closed; whole seconds are counted. */
  readonly idleTimeout: number;
  readonly fetch: (request: Request, server: Server<undefined>) => Response | Promise<Response>;
  /** Answers when a handler, or the reading of a file that it answers with, fails. */
  readonly answerFailure: (error: unknown) => Response;
  readonly tls?: TLSOptions | TLSOptions[];
  /** Whether clients may speak HTTP/2 where there is TLS; by itself they may. */
  readonly http2?: boolean;
}

/**
 * Listens on the address together with every other thread that does (SO_REUSEPORT): the kernel deals out connections.
 * Throws where the address cannot be had.
 */
export function listen(options: ListenOptions): Server<undefined> {
  const { host, port, idleTimeout, fetch, answerFailure, tls, http2 = true } = options;
  return Bun.serve({
    hostname: host ?? "::",
    port,
    reusePort: true,
    idleTimeout: Math.ceil(idleTimeout / 1000),
    // The API counts for itself, and answers in its own words; the default would cut uploads at 128 MB.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Otherwise an exception is answered with a page that shows source and stack.
    development: false,
    ...(tls ? { tls, http2 } : {}),
    routes: dotSegmentRoutes(refuseTarget),
    fetch: dated(fetch),
    error: answerFailure,
  });
}

// --- internal ---

/** Bun dates every answer but those to HEAD; RFC 9110 section 6.6.1 asks for all of them. */
function dated(fetch: ListenOptions["fetch"]): ListenOptions["fetch"] {
  return (request, server) => {
    const answer = fetch(request, server);
    if (request.method !== "HEAD") return answer;
    return answer instanceof Promise ? answer.then(withDate) : withDate(answer);
  };
}

function withDate(answer: Response): Response {
  answer.headers.set("date", new Date().toUTCString());
  return answer;
}

async function refuseTarget(request: Request): Promise<Response> {
  await skipBody(request);
  return withDate(refuse(400, "bad request: the path holds a .. segment"));
}
