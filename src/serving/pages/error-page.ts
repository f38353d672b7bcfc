import { UNREADABLE_ELSEWHERE } from "../http/resource-policy.ts";
import { renderPage } from "./render.ts";

/** The site of a host, as far as its pages depend on it. */
interface PageSite {
  readonly siteName: string;
  readonly private: boolean;
  /** False for a preview. */
  readonly isLive: boolean;
}

/**
 * The reason why a host shows no deployment. `unpublished`: the site has only previews so far. `expired` is a preview,
 * `site_expired` the whole site.
 */
export type Absent = "unpublished" | "expired" | "site_expired" | "unknown";

/** The statuses of the server's own pages. */
export type ErrorStatus = keyof typeof TEXTS;

const TEXTS = {
  400: ["Bad request", "The URL is malformed. Check it and try again."],
  404: ["Page not found", "There is no page at this URL. It may have moved, or the link may be wrong."],
  405: ["Method not allowed", "Pages of this site can only be read."],
  410: ["Gone", "This page was removed permanently."],
  412: ["Precondition failed", "The page has changed since it was last loaded."],
  414: ["URL too long", "The URL is longer than any page of this site can have."],
  416: ["Range not satisfiable", "The requested part is beyond the end of the file."],
  451: ["Unavailable for legal reasons", "This page is not available for legal reasons."],
  503: ["Temporarily unavailable", "The page cannot be loaded right now. Try again in a moment."],
  500: [
    "Something went wrong",
    "An error on the server kept this page from loading. Its operator finds the cause in the log.",
  ],
} as const;

/**
 * Returns a plain page of the server, or JSON if the client prefers it. `route` is the site, or null if the host
 * belongs to none. A private site's errors are as private as its pages.
 */
export function errorPage(
  request: Request,
  status: ErrorStatus,
  route: Omit<PageSite, "siteName"> | null,
  { vary, ...headers }: Readonly<Record<string, string>> = {},
): Response {
  const [title, text] = TEXTS[status];
  const chosenBy = ["Accept", ...(route?.private ? ["Cookie"] : []), ...(vary === undefined ? [] : [vary])];
  return response(request, status, title, text, {
    ...headers,
    "cache-control": route?.private ? "private, no-store" : "no-store",
    vary: chosenBy.join(", "),
    ...(route?.isLive === false ? { "x-robots-tag": "noindex" } : {}),
    ...(route?.private ? UNREADABLE_ELSEWHERE : {}),
  });
}

/** Returns the response for a host without a site. It differs from that of a private site: names are not secret. */
export function unknownHost(request: Request): Response {
  const text = "There is no site at this URL. If it is yours, check its name and the DNS records of its domain.";
  return response(request, 404, "Site not found", text, { "cache-control": "no-store", vary: "Accept" });
}

/** Returns the response for a host that belongs to a site and shows no deployment of it. */
export function absentPage(request: Request, route: Omit<PageSite, "isLive">, absent: Absent): Response {
  const { host } = new URL(request.url);
  const [, label = "", site = ""] = /^(.*?)--(.*)/.exec(host) ?? [];
  // A custom domain may also follow an alias.
  const live = site.startsWith(`${route.siteName}.`) ? `<a href="//${site}/">Open the live site</a>` : "";
  const what = live === "" ? "deployment here" : /^\d+$/.test(label) ? `deployment ${label}` : `alias ${label}`;
  const [status, title, text] = {
    unpublished: [404, "Nothing published yet", `Nothing has been published on ${route.siteName} yet.`] as const,
    site_expired: [410, "Site expired", `${route.siteName} was made for a limited time, which is over.`] as const,
    expired: [410, ...expired(route.siteName, label, live)] as const,
    unknown: [
      404,
      "Deployment not found",
      `${route.siteName} has no ${what}. It may have been deleted. ${live}`,
    ] as const,
  }[absent];
  return response(request, status, title, text, {
    "cache-control": route.private ? "private, no-store" : "no-store",
    vary: route.private ? "Accept, Cookie" : "Accept",
    "x-robots-tag": "noindex",
    ...(route.private ? UNREADABLE_ELSEWHERE : {}),
  });
}

/**
 * Returns the same response for every path of a frozen site, public or private. It is 403, because 451 is for legal
 * demands (RFC 7725), and after 404 or 410 search engines would remove a site that may come back. The browser deletes
 * stored data, because a service worker of the site would continue to serve it.
 */
export function frozenSite(request: Request): Response {
  return response(request, 403, "Site frozen", "The operator of this server has frozen this site.", {
    "cache-control": "no-store",
    "clear-site-data": '"cache", "storage"',
    "x-robots-tag": "noindex",
    vary: "Accept",
  });
}

/** Returns the response to an address with too many requests; `wait` in milliseconds. */
export function tooManyVisits(request: Request, wait: number): Response {
  return response(
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

/** A number may also be that of a deployment that was deleted, whether it was a preview or not. */
function expired(site: string, label: string, live: string): readonly [title: string, text: string] {
  return /^\d+$/.test(label)
    ? ["Deployment removed", `Deployment ${label} of ${site} has expired or was deleted. ${live}`]
    : ["Preview expired", `This preview of ${site} has expired. ${live}`];
}

function response(
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
