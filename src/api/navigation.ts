import { sentence } from "../domain/sentence.ts";
import { html } from "./pages/html.ts";
import { page, redirect } from "./pages/page.ts";

/**
 * Returns whether a user opened the URL in a browser, in which case they get a page instead of JSON. Browsers omit
 * `Sec-Fetch-Mode` on plain HTTP; there they are recognized because they accept XHTML. A request with an
 * `Authorization` header comes from a program.
 */
export function isNavigation({ headers }: Pick<Request, "headers">): boolean {
  if (headers.has("authorization")) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null) return mode === "navigate" && (headers.get("sec-fetch-dest") ?? "document") === "document";
  return (headers.get("accept") ?? "").includes("application/xhtml+xml");
}

/** The page of a site for each segment of the API. */
const PAGES: Readonly<Record<string, string>> = {
  access: "/settings",
  aliases: "/deployments",
  analytics: "/analytics",
  audit: "/activity",
  deployments: "/deployments",
  domains: "/settings/domains",
  explain: "/explain",
  previews: "/settings",
  publishers: "/settings/tokens",
  retention: "/settings/retention",
  shares: "/settings/shares",
  webhooks: "/settings/webhooks",
};

const HOME = [
  "/sites",
  "/shared-sites",
  "/site-figures",
  "/tokens",
  "/audit",
  "/deploy",
  "/capabilities/hosting",
  "/capabilities/custom-domains",
];
const ACCOUNT = ["/auth/me", "/auth/passkeys", "/auth/sign-in-methods", "/capabilities/limits"];

/** Returns the dashboard's page for a URL of the API; null if there is none, and for downloads. */
export function dashboardPage({ pathname, searchParams }: Pick<URL, "pathname" | "searchParams">): string | null {
  const trimmed = pathname.replace(/\/+$/, "");
  if (searchParams.get("format") === "csv" || trimmed.endsWith("/archive")) return null;
  if (HOME.includes(trimmed)) return "/";
  if (ACCOUNT.includes(trimmed)) return "/dashboard/account";
  if (trimmed === "/auth/sessions") return "/dashboard/account/sessions";
  const admin = /^\/admin(?:\/([a-z]+)(?:\/.*)?)?$/.exec(trimmed);
  if (admin) return consolePage(admin[1]);
  const [, site, part] = /^\/sites\/([a-z0-9-]+)(?:\/([a-z]+)(?:\/.*)?)?$/.exec(trimmed) ?? [];
  if (site === undefined) return null;
  return `/dashboard/sites/${site}${PAGES[part ?? ""] ?? ""}`;
}

/** The page of the console for each segment of the API; the overview for all others. */
const CONSOLE_PAGES: Readonly<Record<string, string>> = {
  audit: "/audit",
  backups: "/backups",
  jobs: "/jobs",
  settings: "/settings",
  sites: "/sites",
  users: "/people",
};

function consolePage(part: string | undefined): string {
  return `/dashboard/console${CONSOLE_PAGES[part ?? ""] ?? ""}`;
}

/** Paths for monitors and code generators always respond with JSON. */
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
 * Returns the response for a user instead of an error in JSON: a page with its status, `Allow` and `Retry-After`, or a
 * redirect to the sign-in for a 401.
 */
export async function respondToUser(request: Request, response: Response): Promise<Response> {
  const { status, headers } = response;
  const { pathname, search } = new URL(request.url);
  const isJson = (headers.get("content-type") ?? "").startsWith("application/json");
  if (status < 400 || !isJson || MACHINES.includes(pathname)) return response;
  if (status === 401 && request.method === "GET") {
    return redirect(`/sign-in?return_to=${encodeURIComponent(pathname + search)}`);
  }
  const { detail } = (await response.json()) as { detail?: unknown };
  const title = TITLES[status] ?? "Something went wrong";
  const isAbsent = status === 404 || status === 405;
  const problem = typeof detail === "string" ? sentence(detail) : "The URL is not complete.";
  const text = isAbsent ? "There is no page at this URL." : problem;
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
