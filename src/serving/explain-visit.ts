import { type ExplainVisit, type HeaderSource, NEVER_SERVED, STEPS } from "../domain/deployments/visit-explanation.ts";
import type { RedirectRule } from "../domain/model/manifest.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import { borrowedCaching } from "../domain/rules/caching-fields.ts";
import { isServed } from "../domain/rules/clean-urls.ts";
import type { MatchingHeaderRule } from "../domain/rules/header-matcher.ts";
import type { Bodies } from "./bodies.ts";
import type { CompiledManifest, ServedDeployments } from "./deployments.ts";
import { headerRulesOf, resolveVisit } from "./lookup.ts";
import { type ErrorStatus, errorPage } from "./pages/error-page.ts";
import type { HostingOptions, HostingPorts } from "./ports.ts";
import { PreparedFile } from "./prepared-file.ts";
import { isSubstitute, type Resolution } from "./resolve.ts";
import { wholeHeaders } from "./respond.ts";
import { plainPageFields, redirectResponse } from "./response-headers.ts";
import type { SiteForHost } from "./site-for-host.ts";
import { SiteVisit } from "./visit.ts";

interface Sources {
  readonly store: HostingPorts["store"];
  readonly clock: HostingPorts["clock"];
  readonly siteForHost: SiteForHost;
  readonly deployments: ServedDeployments;
  readonly bodies: Bodies;
}

/** Returns a function that explains visits. It runs the layers of a visit except access, content and counting. */
export function makeExplainVisit(sources: Sources, { scheme }: Pick<HostingOptions, "scheme">): ExplainVisit {
  const { siteForHost, deployments, bodies } = sources;
  return async (url) => {
    const route = await siteForHost(new URL(url).hostname);
    const deployment = route?.absent === null && route.movedTo === null ? await deployments.load(route) : null;
    if (!route || !deployment) return null;
    const visit = new SiteVisit(new Request(url), NOBODY, route);
    const resolution = resolveVisit(deployment, visit, sources);
    const isFile = resolution.kind === "file";
    const headers = Object.fromEntries(fields({ bodies, deployment, visit, scheme }, resolution));
    return {
      url,
      deploymentNumber: route.deploymentNumber,
      private: route.private,
      frozen: route.frozen,
      status: resolution.status,
      step: resolution.step,
      reason: reasonOf(resolution, visit.decodedPath),
      file: isFile ? resolution.file.path : null,
      rule: resolution.rule,
      nearbyRules: resolution.rule ? await rulesAround(resolution.rule, route.deploymentId, sources.store) : [],
      headerLines: headerRulesOf(deployment, visit).map(({ line }) => line),
      headers,
      headerSources: headerSources(headers, headerRulesOf(deployment, visit), resolution),
      headersLeftOut: headersLeftOut(deployment, visit, resolution),
    };
  };
}

// --- internal ---

/** The explanation does not depend on the visitor. */
const NOBODY: Visitor = { address: "", country: null, secure: false, isMultiplexed: false, holdMemory: () => true };

function reasonOf(resolution: Resolution, path: string | null): string {
  const { step } = resolution;
  if (step === "clean_url" && resolution.kind === "file") return `${resolution.file.path} is the page of this URL`;
  const isFound = step !== "not_found" && step !== "single_page";
  return isFound || path === null || isServed(path.slice(1)) ? STEPS[step] : `${STEPS[step]}; ${NEVER_SERVED}`;
}

/** Rules before and after the one that applied. */
const NEARBY = 2;

async function rulesAround(
  { line }: RedirectRule,
  deploymentId: number,
  { deployments }: Pick<HostingPorts["store"], "deployments">,
): Promise<readonly RedirectRule[]> {
  const redirects = (await deployments.rules(deploymentId))?.redirects ?? [];
  const at = redirects.findIndex((rule) => rule.line === line);
  return redirects.slice(Math.max(0, at - NEARBY), at + NEARBY + 1);
}

/** The server overrides some fields, such as `cache-control` of private sites. Then the site's line had no effect. */
function headerSources(
  headers: Readonly<Record<string, string>>,
  rules: readonly MatchingHeaderRule[],
  { kind, rule }: Resolution,
): Record<string, HeaderSource> {
  const sources: Record<string, HeaderSource> = {};
  for (const { line, set } of rules) {
    for (const [name, value] of set) {
      if (headers[name]?.includes(value)) sources[name] = { file: "_headers", line };
    }
  }
  if (kind === "redirect" && rule) sources.location = { file: "_redirects", line: rule.line };
  return sources;
}

/** Returns the fields that the served file does not get, because it is at another file's path. */
function headersLeftOut(
  deployment: CompiledManifest,
  visit: SiteVisit,
  resolution: Resolution,
): Record<string, HeaderSource> {
  if (resolution.kind !== "file" || !isSubstitute(resolution)) return {};
  const own = deployment.headerRules(`/${resolution.file.path}`);
  const borrowed = borrowedCaching(headerRulesOf(deployment, visit), own);
  return Object.fromEntries(borrowed.map(({ name, line }) => [name, { file: "_headers", line }]));
}

interface Explained {
  readonly bodies: Bodies;
  readonly deployment: CompiledManifest;
  readonly visit: SiteVisit;
  readonly scheme: string;
}

function fields({ bodies, deployment, visit, scheme }: Explained, resolution: Resolution): Headers {
  if (resolution.kind === "file") {
    const file = new PreparedFile(deployment, resolution, visit, { scheme, generation: 0 });
    return wholeHeaders(bodies, file.identity);
  }
  const headerRules = headerRulesOf(deployment, visit);
  if (resolution.kind === "redirect") return redirectResponse(visit.route, { ...resolution, headerRules }).headers;
  const { status } = resolution;
  return errorPage(visit.request, status as ErrorStatus, visit.route, plainPageFields(headerRules)).headers;
}
