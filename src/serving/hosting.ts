import type { ExplainVisit } from "../domain/deployments/visit-explanation.ts";
import { makeBodies, makeContentFor } from "./bodies.ts";
import { responseCaches } from "./cache.ts";
import { CachedRoutes } from "./cached-routes.ts";
import { makeServedDeployments } from "./deployments.ts";
import { makeExplainVisit } from "./explain-visit.ts";
import { makeLookup } from "./lookup.ts";
import { respondToOwnPath } from "./own-paths.ts";
import { makeServe, type Serve } from "./pipeline.ts";
import type { HostingOptions, HostingPorts } from "./ports.ts";
import { makeRespond } from "./respond.ts";
import { makeSiteForHost, type SiteForHost } from "./site-for-host.ts";

/** Everything that one thread needs for hosted sites, with one cache. */
export interface Hosting {
  readonly serve: Serve;
  /** Responds at a path of the server itself. */
  readonly respondToOwn: (path: string) => Promise<Response>;
  readonly explain: ExplainVisit;
  readonly siteForHost: SiteForHost;
}

/**
 * This share of the cache's memory stays free, for evicted values that are not yet collected, and for the allocator's
 * overhead: a fifth, but no more than a fifth of 64 MiB. Measured with 64 and 256 MiB and a hundred thousand files
 * under Zipf's law.
 */
const FREE_SHARE = 0.2;
const MAX_FREE = 12 * 1024 * 1024;

/** Rules have their own cache, because compiling them takes up to 10 ms. Visits of many files do not evict them. */
const RULES_SHARE = 0.05;

/** Returns hosting with a cache of `cacheBytes`. */
export function makeHosting(ports: HostingPorts, options: HostingOptions): Hosting {
  const memory = options.cacheBytes - Math.min(options.cacheBytes * FREE_SHARE, MAX_FREE);
  const routes = new CachedRoutes(ports.store);
  const siteForHost = makeSiteForHost(ports, routes, options);
  const deployments = makeServedDeployments(ports, memory * RULES_SHARE);
  const { files, contents } = responseCaches(memory * (1 - RULES_SHARE));
  const lookup = makeLookup({ ...ports, deployments, routes, files }, options);
  const bodies = makeBodies(ports.content, contents, ports.countHit);
  const respond = makeRespond({ bodies, contentFor: makeContentFor(bodies, ports.report) });
  return {
    siteForHost,
    serve: makeServe({ ports, siteForHost, lookup, respond, options }),
    respondToOwn: (path) => respondToOwnPath(ports, path),
    explain: makeExplainVisit({ ...ports, siteForHost, deployments, bodies }, options),
  };
}
