import { DomainError } from "../domain/errors.ts";
import { isFromElsewhere } from "../serving/http/elsewhere.ts";

/**
 * Throws `forbidden` unless the browser sent the request from a page of this host. A browser also sends the cookie with
 * requests that other pages cause, and hosted sites are same-site with the base URL.
 */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  if (!request.headers.has("origin")) throw fromElsewhere();
  refuseOtherOrigins(request, baseUrl);
}

/**
 * Throws `forbidden` for a request that a browser sent from a page of another host. Programs, which send no `Origin`,
 * have no cookie of somebody else.
 */
export function refuseOtherOrigins(request: Request, baseUrl: string): void {
  const origin = request.headers.get("origin");
  const ours = origin === null || origin === baseUrl || origin === new URL(request.url).origin;
  const site = request.headers.get("sec-fetch-site");
  if (!ours || (site !== null && site !== "same-origin")) throw fromElsewhere();
}

/**
 * Applies the rule for requests that pages of other origins cause, such as hosted sites, to pages and API alike. Such a
 * request loses the browser's cookies, so that its response is a stranger's: the page could otherwise learn from a
 * prefetch or an image who its visitor is here, and use up what is limited for the visitor. Only a visit that shows the
 * response to the user keeps them. Throws `forbidden` for a request that changes something.
 *
 * A request with an `Authorization` header may change something, because the header says who sends it, not the cookie.
 */
export function limitFromElsewhere(request: Request): void {
  const { headers, method } = request;
  if (!isFromElsewhere(headers)) return;
  if (!isSafe(method) && !headers.has("authorization")) throw fromElsewhere();
  if (!isShown(headers)) headers.delete("cookie");
}

/** Returns whether a method changes nothing (RFC 9110 section 9.2.1), so that another page may cause the request. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

// --- internal ---

/** Returns whether the browser shows the response in the address bar's window: no frame, and nothing fetched in advance. */
function isShown(headers: Headers): boolean {
  const isDocument = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return isDocument && !headers.has("sec-purpose");
}

function fromElsewhere(): DomainError {
  return new DomainError("forbidden", "forbidden: this request came from a page of another origin");
}
