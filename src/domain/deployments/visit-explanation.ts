import { ENTER_PATH } from "../access/visit.ts";
import { DomainError, fieldError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { SiteUrls } from "../model/events.ts";
import type { RedirectRule } from "../model/manifest.ts";
import type { Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";
import { ownPath, pathOf } from "../request-target.ts";
import { requireDeployment } from "./history.ts";

/** The step that determined the response to a URL, and its meaning. */
export const STEPS = {
  bad_path: 'the URL is malformed: it has a broken escape, a ".." or a character that paths cannot have',
  forced_rule: "a forced rule of _redirects comes before all files",
  exact_file: "a file has exactly this name",
  clean_url: "this is another spelling of the URL of a page",
  rule: "no file has this URL, and a rule of _redirects applies",
  grace: "a deployment that was active within the grace period has this fingerprinted file",
  unicode_form: "a file has this name with its accented letters in another Unicode form",
  single_page: "no file and no rule has this URL, and the site is a single-page application",
  missing_asset:
    "no file has this URL; a rule of _redirects would show a page, but a missing script, picture or other asset is never a page",
  not_found: "no file and no rule has this URL",
} as const;

export type Step = keyof typeof STEPS;

/** Added if nothing was found at a URL at which no file can be. */
export const NEVER_SERVED = "rule files, and what begins with a dot, are kept but never served";

/** The response of a deployment to a browser that may view the site, with the reason. */
export interface VisitExplanation {
  readonly url: string;
  readonly deploymentNumber: number;
  /** True if only signed-in readers can view it. */
  readonly private: boolean;
  /** True if the operator froze the site, so that visitors cannot view it. */
  readonly frozen: boolean;
  readonly status: number;
  readonly step: Step;

  readonly reason: string;
  /** The path of the served file; null if there is none. */
  readonly file: string | null;
  /** The rule of `_redirects` that applied; null if none did. */
  readonly rule: RedirectRule | null;
  /** The rules of `_redirects` around the one that applied, in file order; empty if none did. */
  readonly nearbyRules: readonly RedirectRule[];
  /** The lines of `_headers` that match the path. */
  readonly headerLines: readonly number[];
  /** Response header fields by lower-case name, except those that differ per response. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The lines of the site's rule files that set response header fields, by lower-case name. The server set the others.
   */
  readonly headerSources: Readonly<Record<string, HeaderSource>>;
  /**
   * The lines of `_headers` whose caching fields are not sent, by lower-case name, because the file that is shown has
   * another URL.
   */
  readonly headersLeftOut: Readonly<Record<string, HeaderSource>>;
}

/** A line of one of the rule files: of `_headers` that with the path. */
export interface HeaderSource {
  readonly file: "_headers" | "_redirects";
  readonly line: number;
}

/** Explains a GET of an absolute URL of a site; null if no site is there. */
export type ExplainVisit = (url: string) => Promise<VisitExplanation | null>;

/** The requested URL of a site. */
export interface SiteUrl {
  readonly siteName: string;
  /** In lower case, without port and trailing dot; null for the site's main host. */
  readonly host: string | null;
  /** Path and query. */
  readonly target: string;
  /** Explains this deployment instead of the one at the host; null for none. */
  readonly deploymentNumber: number | null;
}

interface ExplainPorts {
  readonly store: Pick<Store, "sites" | "deployments">;
  readonly siteForHost: (host: string) => Promise<{ readonly siteId: number } | null>;
  readonly explain: ExplainVisit;
  /** Origins; `base` is the server's own. */
  readonly links: SiteUrls & { readonly base: string; origin(host: string): string };
}

/**
 * Explains the response at a URL. Throws `not_found` if site or deployment do not exist, `forbidden` for
 * anyone but the owner, and `validation` for URLs of the server itself or of other sites.
 */
export async function explainVisit(ports: ExplainPorts, caller: Caller, requested: SiteUrl): Promise<VisitExplanation> {
  if (ownPath(requested.target) !== null) throw unexplained(OWN_PATH);
  const site = await requireSite(ports.store, caller, requested.siteName, "explain");
  if (site.private && pathOf(requested.target) === ENTER_PATH) throw unexplained(ENTRANCE);
  const origin = await originOf(ports, site, requested);
  const { hostname } = new URL(origin);
  if (hostname === new URL(ports.links.base).hostname) {
    throw unexplained(`at ${hostname} visitors get the dashboard, and no site`);
  }
  const explanation = await ports.explain(origin + requested.target);
  if (explanation === null) throw new DomainError("not_found", "the site shows no deployment at this URL");
  return explanation;
}

// --- internal ---

const OWN_PATH = "the server answers this URL itself, on every host; files and rules of the site do not apply";
const ENTRANCE = "the server answers this URL of private sites itself: visitors return to it after signing in";

async function originOf(
  { store, siteForHost, links }: ExplainPorts,
  site: Site,
  { host, deploymentNumber }: SiteUrl,
): Promise<string> {
  if (host !== null && (await siteForHost(host))?.siteId !== site.id) {
    throw unexplained(`nothing of the site is at ${host}: its own URL is ${links.site(site.name)}`);
  }
  if (deploymentNumber === null) return host === null ? links.site(site.name) : links.origin(host);
  await requireDeployment(store.deployments, site, deploymentNumber);
  return links.deployment(site.name, deploymentNumber);
}

function unexplained(reason: string): DomainError {
  return fieldError(["query", "path"], reason);
}
