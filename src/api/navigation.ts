import { html } from "./pages/html.ts";
import { page, redirect } from "./pages/page.ts";

/**
 * Returns whether a person opened the address in a browser: they get pages, and programs get JSON. Browsers omit
 * `Sec-Fetch-Mode` on plain HTTP; there, what tells them is that all of them accept XHTML. A request with a credential in
 * `Authorization` comes from a program.
 */
export function isNavigation({ headers }: Pick<Request, "headers">): boolean {
  if (headers.has("authorization")) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null) return mode === "navigate" && (headers.get("sec-fetch-dest") ?? "document") === "document";
  return (headers.get("accept") ?? "").includes("application/xhtml+xml");
}

/** The tab of a site's page that shows what the API has under a segment. */
const TABS: Readonly<Record<string, string>> = {
  access: "/access",
  analytics: "/analytics",
  audit: "/activity",
  domains: "/domains",
  explain: "/analytics",
  retention: "/settings",
  webhooks: "/webhooks",
};

const HOME = [
  "/sites",
  "/shared-sites",
  "/tokens",
  "/audit",
  "/deploy",
  "/capabilities/hosting",
  "/capabilities/custom-domains",
];
const ACCOUNT = ["/auth/me", "/auth/sessions", "/capabilities/limits"];

/** Returns the dashboard's page for what the API answers at a URL; null for what has none, and for downloads. */
export function dashboardPage({ pathname, searchParams }: Pick<URL, "pathname" | "searchParams">): string | null {
  const trimmed = pathname.replace(/\/+$/, "");
  if (searchParams.get("format") === "csv") return null;
  if (HOME.includes(trimmed)) return "/";
  if (ACCOUNT.includes(trimmed)) return "/dashboard/account";
  const admin = /^\/admin(?:\/([a-z]+)(?:\/.*)?)?$/.exec(trimmed);
  if (admin) return consolePage(admin[1]);
  const [, site, tab] = /^\/sites\/([a-z0-9-]+)(?:\/([a-z]+)(?:\/.*)?)?$/.exec(trimmed) ?? [];
  if (site === undefined || trimmed.endsWith("/archive")) return null;
  return `/dashboard/sites/${site}${TABS[tab ?? ""] ?? ""}`;
}

function consolePage(part: string | undefined): string {
  const isTab = part === "sites" || part === "audit" || part === "settings";
  return `/dashboard/console${isTab ? `/${part}` : ""}`;
}

/** What monitors ask, and what generators read, stays JSON whoever asks. */
const MACHINES = ["/health", "/ready", "/version", "/openapi.json"];

const TITLES: Readonly<Record<number, string>> = {
  403: "Not allowed",
  404: "Page not found",
  405: "Page not found",
  413: "Too large",
  429: "Too many requests",
  503: "Temporarily unavailable",
};

/**
 * Returns what a person is shown in place of an answer: a page for an error in JSON, with its status and what it asks of
 * the client, or the way to the sign-in where that is what is missing.
 */
export async function answerForPerson(request: Request, response: Response): Promise<Response> {
  const { status, headers } = response;
  const { pathname, search } = new URL(request.url);
  const isJson = (headers.get("content-type") ?? "").startsWith("application/json");
  if (status < 400 || !isJson || MACHINES.includes(pathname)) return response;
  if (status === 401 && request.method === "GET") {
    return redirect(`/sign-in?return_to=${encodeURIComponent(pathname + search)}`);
  }
  const { detail } = (await response.json()) as { detail?: unknown };
  const title = TITLES[status] ?? "Something went wrong";
  const text = status === 404 || status === 405 ? "There is no page at this address." : sentence(detail);
  const body = html`<h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="/">Go to the dashboard</a></p>`;
  const shown = page({ title, body, status });
  for (const name of ["allow", "retry-after"]) {
    const value = headers.get(name);
    if (value !== null) shown.headers.set(name, value);
  }
  return shown;
}

function sentence(detail: unknown): string {
  if (typeof detail !== "string") return "The address is not complete.";
  return `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}${/[.!?]$/.test(detail) ? "" : "."}`;
}
