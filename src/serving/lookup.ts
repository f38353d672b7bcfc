import { MAX_KEY_LENGTH } from "../domain/bounded-memo.ts";
import { ownCopy } from "../domain/own-copy.ts";
import type { MatchingHeaderRule } from "../domain/rules/header-matcher.ts";
import type { Cache } from "./cache.ts";
import type { CachedRoutes } from "./cached-routes.ts";
import type { CompiledManifest, ServedDeployments } from "./deployments.ts";
import type { HostingOptions, HostingPorts } from "./ports.ts";
import { PreparedFile } from "./prepared-file.ts";
import { mayBeFormer, type Resolution, resolve } from "./resolve.ts";
import { type SiteVisit, whenReady } from "./visit.ts";

/** A file with its header fields, or another resolution with the `_headers` rules that match the path. */
export type Found = PreparedFile | (Exclude<Resolution, { kind: "file" }> & { readonly headerRules: HeaderRules });

type HeaderRules = readonly MatchingHeaderRule[];

/** Finds the response for the path of a visit. */
export interface Lookup {
  /** Returns the prepared file if it is cached and nothing that it depends on has changed. */
  cached(visit: SiteVisit): PreparedFile | undefined;
  /** Applies the deployment's rules; null if the deployment was deleted. */
  resolve(visit: SiteVisit): Found | null | Promise<Found | null>;
  /** Returns the `_headers` rules that match the path of the visit. */
  headerRules(visit: SiteVisit): HeaderRules | Promise<HeaderRules>;
}

interface Sources {
  readonly deployments: ServedDeployments;
  readonly store: Pick<HostingPorts["store"], "files" | "generation">;
  readonly clock: HostingPorts["clock"];
  readonly routes: Pick<CachedRoutes, "encodedAt">;
  readonly files: Cache<PreparedFile>;
}

export function makeLookup(sources: Sources, { scheme }: Pick<HostingOptions, "scheme">): Lookup {
  const { deployments, store, routes, files } = sources;

  const deploymentOf = ({ route }: SiteVisit) => deployments.cached(route) ?? deployments.load(route);

  const resolveIn = (site: CompiledManifest, visit: SiteVisit): Found => {
    // Read before the file, because encodings that are stored meanwhile increase it.
    const generation = store.generation();
    const resolution = store.files.readTogether(() => resolveVisit(site, visit, sources));
    if (resolution.kind !== "file") return { ...resolution, headerRules: headerRulesOf(site, visit) };
    const file = new PreparedFile(site, resolution, visit, { scheme, generation });
    const { url } = visit;
    if (url.length <= MAX_KEY_LENGTH && dependsOnPathAlone(resolution, site)) {
      const [key, bytes] = [ownCopy(url), file.bytes + url.length];
      if (files.admits(key, bytes)) files.set(key, file, bytes);
    }
    return file;
  };

  return {
    cached({ route, url }) {
      const file = files.get(url);
      if (file === undefined || file.routeKey !== route.key) return undefined;
      return file.isComplete || file.generation >= routes.encodedAt ? file : undefined;
    },

    resolve: (visit) => whenReady(deploymentOf(visit), (site) => site && resolveIn(site, visit)),

    headerRules: (visit) => whenReady(deploymentOf(visit), (site) => (site ? headerRulesOf(site, visit) : [])),
  };
}

/** Returns the `_headers` rules that match the visit's path; none if the path cannot be decoded. */
export function headerRulesOf(site: CompiledManifest, { decodedPath }: SiteVisit): HeaderRules {
  return decodedPath === null ? [] : site.headerRules(decodedPath);
}

/** Resolves a visit, with the file of a former deployment if only that has it. */
export function resolveVisit(
  site: CompiledManifest,
  visit: SiteVisit,
  { store, clock }: Pick<HostingPorts, "clock"> & { readonly store: Pick<HostingPorts["store"], "files"> },
): Resolution {
  const { route, decodedPath } = visit;
  const resolution = resolve(site, visit);
  if (!route.isLive || decodedPath === null || !mayBeFormer(resolution, decodedPath)) return resolution;
  const name = decodedPath.slice(1);
  const former = store.files.findFormer(route.siteId, name, clock.now() - route.graceMs);
  return former === null ? resolution : resolve(site, visit, former);
}

// --- internal ---

/**
 * Returns whether the response depends only on the path, and not on other headers or the query: for an existing file
 * without a rule before it.
 */
function dependsOnPathAlone({ step }: Resolution, { hasForced }: CompiledManifest): boolean {
  return (step === "exact_file" || step === "clean_url") && !hasForced;
}
