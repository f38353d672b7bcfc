import type { Server } from "bun";
import type { Connection } from "../domain/ports/connection.ts";
import { ownAddress, pathOf, targetOf } from "../domain/request-target.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { AnswerMemory } from "./answer-memory.ts";
import type { ProxyTrust } from "./client-address.ts";
import { isAddress, parseHost } from "./host.ts";
import { peerOf } from "./observe.ts";
import { refuse } from "./refuse.ts";
import { skipBody } from "./skip-body.ts";

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
  /** Whether clients may speak HTTP/2. */
  readonly http2: boolean;
  /** Counts the memory of answers under way; null where a connection is all that a slow client can hold. */
  readonly answerMemory: Pick<AnswerMemory, "take"> | null;
  /** The `Strict-Transport-Security` field at the base address; null where it has none. */
  readonly strictTransport: string | null;
  /** Most characters of an address. */
  readonly maxUrlLength: number;
  /** Milliseconds without a byte that an upload may take. */
  readonly uploadIdleTimeout: number;
  readonly handlers: Handlers;
}

/** The longest answers are checks of custom domains, which are promised within half of this. */
const SLOW_ANSWER = MINUTE;

type Listener = Server<undefined>;

/** Returns the one entrance of the listener: strict about the host, then the room that answers for it. */
export function makeDispatch(options: DispatchOptions) {
  const { baseHosts, maxUrlLength, strictTransport, handlers } = options;
  return (request: Request, server: Listener): Response | Promise<Response> => {
    const connection = new RequestConnection(request, server, options);
    const header = request.headers.get("host");
    const host = parseHost(header);
    if ((host === null ? !header : isAddress(host)) && isProbe(request)) return askApi(withHost(request), connection);
    if (host === null)
      return whenSent(request, connection, refuse(400, "bad request: the Host header is no host name"));
    const { url } = request;
    if (url.length > maxUrlLength && targetOf(url).length > maxUrlLength)
      return whenSent(request, connection, refuse(414, "the address is too long"));
    if (!baseHosts.has(host) || ownAddress(url) !== null)
      return whenSent(request, connection, handlers.site(request, host, connection));
    const answer = askApi(request, connection);
    // Told in plain HTTP, it would mean nothing (RFC 6797 section 7.2).
    if (strictTransport === null || !connection.secure) return answer;
    return withField(answer, "strict-transport-security", strictTransport);
  };

  function askApi(request: Request, connection: RequestConnection) {
    connection.remember();
    // The API knows which bodies it reads, and skips the others by itself.
    return handlers.api(request, connection);
  }
}

async function withField(answer: Response | Promise<Response>, name: string, value: string): Promise<Response> {
  const response = await answer;
  response.headers.set(name, value);
  return response;
}

/** Whether a balancer or an orchestrator asks how the server is: they know its address alone, or send no host at all. */
function isProbe({ method, url }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const path = pathOf(url);
  return path === "/health" || path === "/ready";
}

/** Returns the request with a whole URL: without a Host header it has the path alone, which `Request` does not take. */
function withHost(request: Request): Request {
  if (!request.url.startsWith("/")) return request;
  return new Request(`http://localhost${request.url}`, { method: request.method, headers: request.headers });
}

/** Holds an answer that needs no body back until the whole of the request was sent. */
function whenSent(request: Request, connection: Connection, answer: Response | Promise<Response>) {
  const { method } = request;
  // Bun gives those no body, and to look for one costs more than the method, which is known by now.
  if (method === "GET" || method === "HEAD") return answer;
  return request.body !== null && connection.secure ? afterBody(request, answer) : answer;
}

async function afterBody(request: Request, early: Response | Promise<Response>): Promise<Response> {
  const answer = await early;
  await skipBody(request);
  return answer;
}

/** A class, so that the addresses are looked up only by those who ask: most visits never do. */
class RequestConnection implements Connection {
  private remembered: string | null = null;

  constructor(
    private readonly request: Request,
    private readonly server: Listener,
    private readonly options: DispatchOptions,
  ) {}

  get address(): string {
    return this.options.trust.clientAddress(this.peer, this.request.headers.get("x-forwarded-for"));
  }

  get secure(): boolean {
    const { trust, encrypted } = this.options;
    return trust.isSecure(this.peer, encrypted, this.request.headers.get("x-forwarded-proto"));
  }

  /** Over HTTP/2 this field is an error, which the listener answers by itself: whoever sends it speaks HTTP/1.1. */
  get isMultiplexed(): boolean {
    return this.options.http2 && !this.request.headers.has("connection");
  }

  holdMemory(bytes: number, share = 1): boolean {
    const { answerMemory } = this.options;
    return answerMemory === null || answerMemory.take(this.request, this.server, this.address, bytes, share);
  }

  allowSlowBody(): void {
    this.server.timeout(this.request, Math.ceil(this.options.uploadIdleTimeout / 1000));
  }

  allowSlowAnswer(): void {
    this.server.timeout(this.request, SLOW_ANSWER / 1000);
  }

  /** Looks the address up now: nothing tells it any more when the client has gone, and changes are noted with it. */
  remember(): void {
    this.remembered = peerOf(this.request, this.server);
  }

  private get peer(): string {
    return this.remembered ?? peerOf(this.request, this.server);
  }
}
