import type { SiteRoute } from "../domain/ports/store/sites.ts";
import type { HostingOptions, HostingPorts, Route } from "./ports.ts";

/** Returns the site and deployment that a host shows; at once where it is known, null where the host is nobody's. */
export type SiteForHost = (host: string) => Route | null | Promise<Route | null>;

/** Hosts that were asked for are remembered, invented ones too; a flood of them must not fill the memory. */
const MAX_REMEMBERED = 20_000;

/** Leads to no manifest: the store counts from 1. */
const NO_DEPLOYMENT = 0;

/**
 * Returns the look-up of hosts. Every answer is remembered until anything that decides what visitors get changes,
 * in whichever thread or process: then the next request reads it anew.
 */
export function makeSiteForHost(ports: HostingPorts, options: HostingOptions): SiteForHost {
  const { store } = ports;
  let generation = store.generation();
  let routes = new Map<string, Route | null>();

  const look = async (host: string): Promise<Route | null> => {
    const asOf = generation;
    const known = routes;
    const route = await findRoute(ports, options, host);
    // What was read while something changed may be old already: it answers this request, but is not remembered.
    if (store.generation() !== asOf) return route;
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(host, route);
    return route;
  };

  return (host) => {
    const current = store.generation();
    if (current !== generation) {
      generation = current;
      routes = new Map();
    }
    const route = routes.get(host);
    return route === undefined ? look(host) : route;
  };
}

// --- internal ---

async function findRoute(ports: HostingPorts, options: HostingOptions, host: string): Promise<Route | null> {
  const below = `.${options.sitesDomain}`;
  if (host.endsWith(below)) {
    const label = host.slice(0, -below.length);
    const [, number, siteName = label] = /^([1-9]\d{0,9})--(.+)$/.exec(label) ?? [];
    const site = await ports.store.sites.findRoute(siteName);
    if (site === null) return null;
    if (number !== undefined) return deploymentRoute(ports, site, host, Number(number));
    const canonicalHost = await ports.store.claims.canonicalHostname(site.siteId);
    return liveRoute(site, host, canonicalHost === host ? null : canonicalHost);
  }
  const site = await ports.store.claims.findRouted(host);
  return site && liveRoute(site, host, null);
}

function liveRoute(site: SiteRoute, host: string, canonicalHost: string | null): Route | null {
  if (site.activeDeploymentId === null || site.activeDeployment === null) return null;
  return makeRoute(site, {
    host,
    deploymentId: site.activeDeploymentId,
    deploymentNumber: site.activeDeployment,
    publishedAt: site.activatedAt ?? 0,
    isLive: true,
    canonicalHost,
  });
}

async function deploymentRoute(
  { store }: HostingPorts,
  site: SiteRoute,
  host: string,
  number: number,
): Promise<Route | null> {
  const deployment = await store.deployments.find(site.siteId, number);
  // How many deployments a private or frozen site has is not for strangers: they are kept out before there is none.
  if (deployment === null && !site.private && !site.frozen) return null;
  const { id: deploymentId, createdAt: publishedAt } = deployment ?? { id: NO_DEPLOYMENT, createdAt: 0 };
  return makeRoute(site, {
    host,
    deploymentId,
    deploymentNumber: number,
    publishedAt,
    isLive: false,
    canonicalHost: null,
  });
}

function makeRoute(
  { siteId, siteName, private: isPrivate, frozen }: SiteRoute,
  shown: Pick<Route, "host" | "deploymentId" | "deploymentNumber" | "publishedAt" | "isLive" | "canonicalHost">,
): Route {
  const { deploymentId, publishedAt, isLive, canonicalHost } = shown;
  const key = `${deploymentId} ${publishedAt} ${isPrivate ? "private" : ""}${isLive ? "" : "fixed"} ${canonicalHost ?? ""} `;
  return { ...shown, key, siteId, siteName, private: isPrivate, frozen };
}
