import { DomainError } from "../domain/errors.ts";
import { type DeploymentRules, ERROR_PAGES, type Manifest, rulesOf } from "../domain/model/manifest.ts";
import type { FileStore, StoredFile } from "../domain/ports/store/files.ts";
import type { Clock } from "../domain/ports/system.ts";
import { isServed } from "../domain/rules/clean-urls.ts";
import { compileHeaders, type MatchingHeaderRule } from "../domain/rules/header-matcher.ts";
import { compileRedirects, type RedirectMatcher } from "../domain/rules/redirect-matcher.ts";
import { SECOND } from "../domain/timestamp.ts";
import { Cache } from "./cache.ts";
import type { HostingPorts, Route } from "./ports.ts";

/** The files of a deployment that may be served, by their paths. */
export interface FileLookup {
  get(path: string): StoredFile | null;
  has(path: string): boolean;
}

/** An immutable deployment with its rules compiled. Its files stay in the store. */
export interface CompiledManifest {
  readonly files: FileLookup;
  readonly forced: RedirectMatcher;
  /** True if there are forced rules. Only they can apply before an existing file. */
  readonly hasForced: boolean;
  readonly rules: RedirectMatcher;
  /** The file for the URLs of a single-page application; null if the site is none. */
  readonly fallback: string | null;
  /** The number of folders above the deepest one with an error page; -1 if there is none. */
  readonly errorPageDepth: number;
  /** The number of rules of both files. */
  readonly ruleCount: number;
  /** Returns the `_headers` rules that match a decoded path, in the order of the file. */
  headerRules(path: string): readonly MatchingHeaderRule[];
}

export interface ServedDeployments {
  /** Returns the deployment if it is cached. */
  cached(route: DeploymentOfRoute): CompiledManifest | undefined;
  /**
   * Returns the deployment, from the cache if possible; null when it was deleted. Throws `unavailable` when too many
   * deployments of the site with rules were loaded within this second.
   */
  load(route: DeploymentOfRoute & Pick<Route, "siteId">): Promise<CompiledManifest | null>;
}

/** With another grace period, files of other former deployments must be loaded. */
type DeploymentOfRoute = Pick<Route, "deploymentId" | "graceMs">;

/** The memory that a compiled deployment takes, measured. */
const BYTES_PER_DEPLOYMENT = 2000;
const BYTES_PER_RULE = 1500;

/** Every thread can keep at least some deployments with the maximum number of rules. */
const MIN_MEMORY = 8 * 1024 * 1024;

/** Returns the deployments of a store, of which up to `memory` bytes are cached. */
export function makeServedDeployments(
  { store, clock }: Pick<HostingPorts, "store" | "clock">,
  memory: number,
): ServedDeployments {
  const limitColdLoads = coldLoadLimit(clock);
  const cache = new Cache<CompiledManifest>(Math.max(memory, MIN_MEMORY), 1);

  const keyOf = ({ deploymentId, graceMs }: DeploymentOfRoute) => `${deploymentId} ${graceMs}`;
  const cached = (route: DeploymentOfRoute) => cache.get(keyOf(route));

  return {
    cached,

    async load(route) {
      const { siteId, deploymentId, graceMs } = route;
      const known = cached(route);
      if (known !== undefined) return known;
      const rules = await store.deployments.rules(deploymentId, clock.now() - graceMs);
      if (rules === null) return null;
      if (rules.redirects.length + rules.headers.length > 0) limitColdLoads(siteId);
      const compiled = compileManifest(rules, servedFiles(store.files, deploymentId));
      const bytes = BYTES_PER_DEPLOYMENT + compiled.ruleCount * BYTES_PER_RULE;
      if (cache.admits(keyOf(route), bytes)) cache.set(keyOf(route), compiled, bytes);
      return compiled;
    },
  };
}

/** Returns a deployment for answers without the bytes of files, such as those of a report. All of it is in memory. */
export function compileWholeManifest(manifest: Manifest): CompiledManifest {
  const served = manifest.files.filter(({ path }) => isServed(path));
  const files = new Map(served.map((file) => [file.path, { ...file, ...NOT_ENCODED }]));
  return compileManifest(rulesOf(manifest), { get: (path) => files.get(path) ?? null, has: (path) => files.has(path) });
}

export function compileManifest(rules: DeploymentRules, files: FileLookup): CompiledManifest {
  const forced = rules.redirects.filter((rule) => rule.force);
  const hasErrorPage = ERROR_PAGES.some((page) => files.has(page));
  return {
    files,
    forced: compileRedirects(forced),
    hasForced: forced.length > 0,
    rules: compileRedirects(rules.redirects.filter((rule) => !rule.force)),
    fallback: fallbackOf(files, hasErrorPage),
    // Earlier versions did not count `404/index.html`.
    errorPageDepth: Math.max(rules.errorPageDepth, hasErrorPage ? 0 : -1),
    ruleCount: rules.redirects.length + rules.headers.length,
    headerRules: compileHeaders(rules.headers).match,
  };
}

/** Returns the files of a stored deployment. */
export function servedFiles(files: FileStore, deploymentId: number): FileLookup {
  return {
    get: (path) => (isServed(path) ? files.find(deploymentId, path) : null),
    has: (path) => isServed(path) && files.has(deploymentId, path),
  };
}

// --- internal ---

const NOT_ENCODED = { encodings: {}, isEncoded: false, isLegacyText: false } as const;

function fallbackOf({ has }: FileLookup, hasErrorPage: boolean): string | null {
  if (has("200.html")) return "200.html";
  return has("index.html") && !hasErrorPage ? "index.html" : null;
}

/** Compiling a deployment's rules takes up to 10 ms of the thread, which all sites share. */
const MAX_COLD_LOADS_PER_SECOND = 10;

/**
 * Returns a check that throws `unavailable` when a site's deployments were loaded too often within this second. It
 * remembers the sites of one second only.
 */
function coldLoadLimit({ now }: Clock): (siteId: number) => void {
  let second = 0;
  const loads = new Map<number, number>();
  return (siteId) => {
    const current = Math.floor(now() / SECOND);
    if (current !== second) loads.clear();
    second = current;
    const count = (loads.get(siteId) ?? 0) + 1;
    loads.set(siteId, count);
    if (count <= MAX_COLD_LOADS_PER_SECOND) return;
    throw new DomainError("unavailable", "too many deployments of this site are visited at once", { retryAfter: 1 });
  };
}
