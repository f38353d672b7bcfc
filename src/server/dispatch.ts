import type { Server } from "bun";
import { isOwnAddress } from "../domain/deployments/clean-urls.ts";
import type { ProxyTrust } from "./client-address.ts";
import { parseHost } from "./host.ts";

/** What a handler may know of the connection behind a request; asked for only where it is needed. */
export interface Connection {
  readonly address: string;
  readonly secure: boolean;
  /** Bun counts a slow upload as idle after ten seconds: a handler that expects one says so. */
  allowSlowBody(): void;
}

export interface Handlers {
  /** Answers for the base host: API and dashboard. */
  api(request: Request, connection: Connection): Response | Promise<Response>;
  /**
   * Answers for every other host, and challenges for all of them: a CA and our own probes ask for those under whatever
   * name leads here. `host` is in lower case, without port and trailing dot.
   */
  site(request: Request, host: string, connection: Connection): Response | Promise<Response>;
}

export interface DispatchOptions {
  readonly baseHosts: ReadonlySet<string>;
  readonly trust: ProxyTrust;
  readonly encrypted: boolean;
  readonly handlers: Handlers;
}

type Listener = Server<undefined>;

/** Longer than any address that people or programs make; what is longer is an attack or a mistake. */
const MAX_URL_LENGTH = 8192;

/** Seconds without a byte that an upload may take; 10 kB/s and a stalled line must pass. */
const SLOW_BODY_PATIENCE = 120;

/** Returns the one entrance of the listener: strict about the host, then the room that answers for it. */
export function makeDispatch({ baseHosts, trust, encrypted, handlers }: DispatchOptions) {
  return (request: Request, server: Listener): Response | Promise<Response> => {
    const host = parseHost(request.headers.get("host"));
    if (host === null) return refuse(400, "bad request: the Host header is no host name");
    if (request.url.length > MAX_URL_LENGTH) return refuse(414, "the address is too long");
    const connection = new RequestConnection(request, server, trust, encrypted);
    const forApi = baseHosts.has(host) && !isOwnAddress(pathOf(request.url));
    return forApi ? handlers.api(request, connection) : handlers.site(request, host, connection);
  };
}

/** The path of an absolute URL as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start === -1 ? "/" : url.slice(start);
}

function refuse(status: number, detail: string): Response {
  return Response.json({ detail }, { status, headers: { Connection: "close", "X-Content-Type-Options": "nosniff" } });
}

/** A class, so that the addresses are looked up only by those who ask: most visits never do. */
class RequestConnection implements Connection {
  constructor(
    private readonly request: Request,
    private readonly server: Listener,
    private readonly trust: ProxyTrust,
    private readonly encrypted: boolean,
  ) {}

  get address(): string {
    return this.trust.clientAddress(this.peer, this.request.headers.get("x-forwarded-for"));
  }

  get secure(): boolean {
    return this.trust.isSecure(this.peer, this.encrypted, this.request.headers.get("x-forwarded-proto"));
  }

  allowSlowBody(): void {
    this.server.timeout(this.request, SLOW_BODY_PATIENCE);
  }

  private get peer(): string {
    return this.server.requestIP(this.request)?.address ?? "";
  }
}
