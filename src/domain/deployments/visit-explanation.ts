import { ENTER_PATH } from "../access/visit.ts";
import type { Caller } from "../accounts/caller.ts";
import { DomainError, fieldError } from "../errors.ts";
import type { Store } from "../ports/store.ts";
import { ownAddress, pathOf } from "../request-target.ts";
import { requireOwnSite } from "../sites/ownership.ts";
import type { Site } from "../sites/site.ts";
import { requireDeployment } from "./history.ts";
import type { RedirectRule } from "./redirects-file.ts";

/** Which step of the search for a URL's file gave the answer, and what that means. */
export const STEPS = {
  bad_path: 'the address is malformed: it has a broken escape, a ".." or a character that paths cannot have',
  forced_rule: "a forced rule of _redirects comes before all files",
  exact_file: "a file has exactly this name",
  clean_url: "a page has this address, or another spelling of it",
  rule: "no file has this address, and a rule of _redirects applies",
  grace: "a deployment that was active within the last seven days has this fingerprinted file",
  unicode_form: "a file has this name with its accented letters in another Unicode form",
  single_page: "no file and no rule has this address, and the site is a single-page application",
  not_found: "no file and no rule has this address",
} as const;

export type Step = keyof typeof STEPS;

/** What is added where nothing was found at an address at which no file could be. */
export const NEVER_SERVED = "rule files, and what begins with a dot, are kept but never served";

/** What a deployment answers to a browser that opens an address, once gate and freeze let it through, and why. */
export interface VisitExplanation {
  readonly url: string;
  readonly deploymentNumber: number;
  /** Whether visitors must be readers and sign in first. */
  readonly private: boolean;
  /** Whether the operator stopped the site, so that visitors get nothing of it for now. */
  readonly frozen: boolean;
  readonly status: number;
  readonly step: Step;
  /** What that step means here. */
  readonly reason: string;
  /** The path of the file that is sent; null where none is. */
  readonly file: string | null;
  /** The rule of `_redirects` that decided; null where none did. */
  readonly rule: RedirectRule | null;
  /** The lines of `_headers` whose paths the address meets. */
  readonly headerLines: readonly number[];
  /** Fields of the answer by lower-case name, but for those that only a single answer has. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the explanation of a GET of an absolute URL of a site; null where nothing is shown there. */
export type ExplainVisit = (url: string) => Promise<VisitExplanation | null>;

/** An address of a site, as a visitor's request has it. */
export interface SiteAddress {
  readonly siteName: string;
  /** In lower case, without port and trailing dot; null for the site's live host. */
  readonly host: string | null;
  /** Path and query. */
  readonly target: string;
  /** Asks for this deployment's own address instead of that of the host; null for none. */
  readonly deploymentNumber: number | null;
}

interface ExplainPorts {
  readonly store: Pick<Store, "sites" | "deployments">;
  readonly siteForHost: (host: string) => Promise<{ readonly siteId: number } | null>;
  readonly explain: ExplainVisit;
  /** Origins, and `base` is that of the server itself. */
  readonly links: {
    readonly base: string;
    origin(host: string): string;
    site(name: string): string;
    deployment(siteName: string, number: number): string;
  };
}

/**
 * Returns what an address answers, and why. Throws `not_found` where site or deployment do not exist, `forbidden` for
 * all but the owner, and `validation` for addresses that are the server's own or at which the site does not answer.
 */
export async function explainVisit(ports: ExplainPorts, caller: Caller, asked: SiteAddress): Promise<VisitExplanation> {
  if (ownAddress(asked.target) !== null) throw unexplained(OWN_ADDRESS);
  const site = await requireOwnSite(ports.store, caller, asked.siteName);
  if (site.private && pathOf(asked.target) === ENTER_PATH) throw unexplained(ENTRANCE);
  const origin = await originOf(ports, site, asked);
  const { hostname } = new URL(origin);
  if (hostname === new URL(ports.links.base).hostname) {
    throw unexplained(`at ${hostname} visitors get the dashboard, and no site`);
  }
  const explanation = await ports.explain(origin + asked.target);
  if (explanation === null) throw new DomainError("not_found", "the site shows no deployment at this address");
  return explanation;
}

// --- internal ---

const OWN_ADDRESS = "the server answers this address itself, on every host; files and rules of the site do not apply";
const ENTRANCE = "the server answers this address of private sites itself: visitors return to it after signing in";

async function originOf(
  { store, siteForHost, links }: ExplainPorts,
  site: Site,
  { host, deploymentNumber }: SiteAddress,
): Promise<string> {
  if (host !== null && (await siteForHost(host))?.siteId !== site.id) {
    throw unexplained(`nothing of the site is at ${host}: its own address is ${links.site(site.name)}`);
  }
  if (deploymentNumber === null) return host === null ? links.site(site.name) : links.origin(host);
  await requireDeployment(store.deployments, site, deploymentNumber);
  return links.deployment(site.name, deploymentNumber);
}

function unexplained(reason: string): DomainError {
  return fieldError(["query", "path"], reason);
}
