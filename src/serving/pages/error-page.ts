import type { Route } from "../ports.ts";
import { renderPage } from "./render.ts";

/** The statuses that hosting answers with by itself. */
export type ErrorStatus = keyof typeof TEXTS;

const TEXTS = {
  400: ["Bad request", "This address cannot be read. Check it for stray characters and try again."],
  404: ["Page not found", "There is nothing at this address. It may have moved, or never have been here."],
  405: ["Method not allowed", "A website can be read here, and nothing else."],
  410: ["Gone", "What was here has been taken away for good."],
  412: ["Precondition failed", "The page is not, or no longer, the one that was asked for."],
  414: ["Address too long", "No page has an address of this length."],
  416: ["Range not satisfiable", "The file is shorter than the part that was asked for."],
  451: ["Unavailable for legal reasons", "This page may not be shown."],
  503: ["Back in a moment", "The page cannot be served just now. Try again in a moment."],
  500: ["Something went wrong", "The page could not be served. The operator will find the reason in the log."],
} as const;

/**
 * Returns a plain page of our own, or JSON where the client asks for it. `route` is the site it is answered for, or
 * null where the host is nobody's; a private site's errors are as private as its pages.
 */
export function errorPage(
  request: Request,
  status: ErrorStatus,
  route: Pick<Route, "private" | "isLive"> | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const [title, text] = TEXTS[status];
  return answer(request, status, title, text, {
    ...(route?.private
      ? { "cache-control": "private, no-store", vary: "Accept, Cookie" }
      : { "cache-control": "no-store", vary: "Accept" }),
    ...(route?.isLive === false ? { "x-robots-tag": "noindex" } : {}),
    ...headers,
  });
}

/** Returns the one answer for every host that leads to no site: it says nothing about which hosts there are. */
export function unknownHost(request: Request): Response {
  const text = "No site lives at this address. If it is yours, check its name and whether its domain is connected.";
  return answer(request, 404, "No site here", text, { "cache-control": "no-store", vary: "Accept" });
}

/**
 * Returns the one answer for every address of a frozen site, public or private. 403 and not 451, which is for demands of
 * the law (RFC 7725), nor 404 or 410, at which search engines would forget a site that may come back. The browser drops
 * what it kept: a service worker of the site would go on serving it.
 */
export function frozenSite(request: Request): Response {
  return answer(request, 403, "Site suspended", "The operator of this server has suspended this site.", {
    "cache-control": "no-store",
    "clear-site-data": '"cache", "storage"',
    "x-robots-tag": "noindex",
    vary: "Accept",
  });
}

/** Returns the answer to an address that asked too often; `wait` in milliseconds. */
export function tooManyVisits(request: Request, wait: number): Response {
  return answer(
    request,
    429,
    "Too many requests",
    "Too many requests came from your network. Wait a moment, then try again.",
    {
      "cache-control": "no-store",
      "retry-after": String(Math.ceil(wait / 1000)),
      vary: "Accept",
    },
  );
}

// --- internal ---

function answer(
  request: Request,
  status: number,
  title: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const common = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", ...headers };
  if (wantsJson(request.headers.get("accept"))) {
    return Response.json({ detail: title.toLowerCase() }, { status, headers: common });
  }
  const { html, policy } = renderPage(status, title, text);
  const fields = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy, ...common };
  return new Response(html, { status, headers: fields });
}

function wantsJson(accept: string | null): boolean {
  if (accept === null) return false;
  return /\bapplication\/(?:[a-z.+-]+\+)?json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}
