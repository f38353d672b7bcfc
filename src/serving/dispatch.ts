import { ownPath, pathOf, targetOf } from "../domain/request-target.ts";
import { isAddress, parseHost } from "./host.ts";
import { ISOLATED } from "./http/resource-policy.ts";

export interface DispatchOptions {
  readonly baseHosts: ReadonlySet<string>;
  /** Maximum length of a URL in characters. */
  readonly maxUrlLength: number;
}

export type Target =
  | { readonly kind: "refused"; readonly response: Response }
  | { readonly kind: "api"; readonly request: Request; readonly isProbe: boolean }
  /** A path of the server itself, decoded. */
  | { readonly kind: "own"; readonly path: string }
  | { readonly kind: "site"; readonly host: string };

/**
 * Determines the target of a request: the API, a site, or a path of the server itself. The server's own paths exist on
 * every host, because a CA and this server's probes request them at each name that resolves here.
 */
export function dispatch(request: Request, { baseHosts, maxUrlLength }: DispatchOptions): Target {
  const header = request.headers.get("host");
  const host = parseHost(header);
  const isNameless = host === null ? !header : isAddress(host);
  if (isNameless && isProbe(request)) return { kind: "api", request: withHost(request), isProbe: true };
  if (host === null) return refused(400, "bad request: the Host header is no host name");
  const { url } = request;
  if (url.length > maxUrlLength && targetOf(url).length > maxUrlLength) return refused(414, "the URL is too long");
  const own = ownPath(url);
  if (own !== null) return { kind: "own", path: own };
  return baseHosts.has(host) ? { kind: "api", request, isProbe: false } : { kind: "site", host };
}

function refused(status: 400 | 414, detail: string): Target {
  return { kind: "refused", response: refuse(status, detail) };
}

/**
 * Returns the response to an invalid request. It is the same for all hosts, with the fields of the base host and of a
 * private site's responses, so that it reveals nothing about the host.
 */
export function refuse(status: 400 | 414, detail: string): Response {
  const headers = {
    Connection: "close",
    "Cache-Control": "private, no-store",
    Vary: "Cookie",
    "X-Robots-Tag": "noindex",
    "X-Content-Type-Options": "nosniff",
    ...ISOLATED,
  };
  return Response.json({ detail }, { status, headers });
}

/**
 * Returns whether a load balancer or an orchestrator checks the server. They know only its address, or send no host at
 * all.
 */
function isProbe({ method, url }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const path = pathOf(url);
  return path === "/health" || path === "/ready";
}

/**
 * Returns the request with an absolute URL. Without a Host header it has just the path, which `Request` does not
 * accept.
 */
function withHost(request: Request): Request {
  if (!request.url.startsWith("/")) return request;
  return new Request(`http://localhost${request.url}`, { method: request.method, headers: request.headers });
}
