import { DomainError } from "../domain/errors.ts";

/**
 * Throws `forbidden` unless the browser sent the request from a page of this host. A browser also sends the cookie with
 * requests that other pages cause, and hosted sites are same-site with the base address.
 */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  const origin = request.headers.get("origin");
  const ours = origin === baseUrl || origin === new URL(request.url).origin;
  const site = request.headers.get("sec-fetch-site");
  if (ours && (site === null || site === "same-origin")) return;
  throw fromElsewhere();
}

/**
 * Throws `forbidden` if a page of another origin caused a request that is sent with the browser's cookie. It is for a
 * GET that takes something of its user, such as one of few slots.
 */
export function refuseCookieFromElsewhere(request: Request): void {
  if (!request.headers.has("authorization") && isFromElsewhere(request)) throw fromElsewhere();
}

/**
 * Returns whether a page of another origin, such as a hosted site, caused a request. False if the browser does not send
 * `Sec-Fetch-Site`: to plain HTTP beyond localhost, and in versions before 2023.
 */
export function isFromElsewhere(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

/** Returns whether a method changes nothing (RFC 9110 section 9.2.1), so that another page may cause the request. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

// --- internal ---

function fromElsewhere(): DomainError {
  return new DomainError("forbidden", "forbidden: this request came from a page of another origin");
}
