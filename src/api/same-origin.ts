import { DomainError } from "../domain/errors.ts";

/**
 * Throws `forbidden` unless the browser sent the request from a page of this very host. A cookie goes along with
 * requests that other sites make the browser send, and hosted sites are neighbours of the base address.
 */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  const origin = request.headers.get("origin");
  const ours = origin === baseUrl || origin === new URL(request.url).origin;
  const site = request.headers.get("sec-fetch-site");
  if (ours && (site === null || site === "same-origin")) return;
  throw new DomainError("forbidden", "forbidden: this request came from a page of another origin");
}

/**
 * Whether a page of another origin made the browser send a request, hosted sites included. Unknown, and so false, where
 * the browser does not tell: only to plain HTTP beyond localhost, and from versions of before 2023.
 */
export function isFromElsewhere(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

/** Whether a method changes nothing (RFC 9110 section 9.2.1), so that another page may well have caused it. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
