import { arePreviewsPrivate, isAliasPrivate } from "../domain/model/preview.ts";
import { graceInForce } from "../domain/model/retention.ts";
import { LIVE_TARGET } from "../domain/model/share.ts";
import type { SiteRoute } from "../domain/ports/store/sites.ts";
import type { CachedRoutes } from "./cached-routes.ts";
import type { HostingOptions, HostingPorts, Route } from "./ports.ts";

/** Returns the site and deployment of a host, synchronously if cached; null if the host belongs to no site. */
export type SiteForHost = (host: string) => Route | null | Promise<Route | null>;

/** No manifest has this id, because the store counts from 1. */
const NO_DEPLOYMENT = { id: 0, number: 0, publishedAt: 0 };

/**
 * Returns the lookup of hosts. Every result is cached until a change of its site, in any thread or process. Then the
 * next request reads it again.
 */
export function makeSiteForHost(ports: HostingPorts, routes: CachedRoutes, options: HostingOptions): SiteForHost {
  const look = async (host: string, generation: number): Promise<Route | null> => {
    const route = await findRoute(ports, options, host);
    routes.set(host, route, generation);
    return route;
  };

  return (host) => {
    const generation = routes.catchUp();
    const route = routes.get(host);
    return route === undefined ? look(host, generation) : route;
  };
}

// --- internal ---

/** `3--blog` and `draft--blog`: a deployment or an alias of the site `blog`. */
const PREVIEW_OF_SITE = /^([a-z0-9-]*?)--(.+)$/;
const DEPLOYMENT_NUMBER = /^[1-9]\d{0,9}$/;
/** Contains a letter, so that no alias looks like a number. */
const ALIAS = /^(?!-)(?=.*[a-z])/;

async function findRoute(ports: HostingPorts, options: HostingOptions, host: string): Promise<Route | null> {
  const below = `.${options.sitesDomain}`;
  if (!host.endsWith(below)) {
    const site = await ports.store.claims.findRouted(host);
    if (site === null || site.alias === null) return site && liveRoute(options, site, host, null);
    return aliasRoute(ports, site, host, site.alias);
  }
  const label = host.slice(0, -below.length);
  const [, preview, siteName = label] = PREVIEW_OF_SITE.exec(label) ?? [];
  const site = await ports.store.sites.findRoute(siteName);
  if (site === null) return movedRoute(ports, host, { preview, siteName, below });
  if (preview === undefined) {
    const canonicalHost = await ports.store.claims.canonicalHostname(site.siteId);
    return liveRoute(options, site, host, canonicalHost === host ? null : canonicalHost);
  }
  if (DEPLOYMENT_NUMBER.test(preview)) return deploymentRoute(ports, site, host, preview);
  return ALIAS.test(preview) ? aliasRoute(ports, site, host, preview) : null;
}

/** Everything at a host of a renamed site is at its new host, which says whether anything is there. */
async function movedRoute(
  { store }: HostingPorts,
  host: string,
  {
    preview,
    siteName,
    below,
  }: { readonly preview: string | undefined; readonly siteName: string; readonly below: string },
): Promise<Route | null> {
  const site = await store.sites.findRenamed(siteName);
  if (site === null) return null;
  const label = preview === undefined ? site.siteName : `${preview}--${site.siteName}`;
  const nothing = { host, target: LIVE_TARGET, isPrivate: false, isLive: preview === undefined };
  return {
    ...makeRoute({ ...site, frozen: false, expired: false }, { ...PREVIEW, ...nothing }),
    movedTo: label + below,
  };
}

function liveRoute({ graceMs }: HostingOptions, site: SiteRoute, host: string, canonicalHost: string | null): Route {
  const { activeDeploymentId: id, activeDeployment: number, activatedAt } = site;
  const shown = id === null || number === null ? null : { id, number, publishedAt: activatedAt ?? 0 };
  const absent = shown ? null : "unpublished";
  return makeRoute(site, {
    host,
    shown,
    absent,
    isPrivate: site.private,
    target: LIVE_TARGET,
    isLive: true,
    graceMs: graceInForce(site.graceDays, graceMs),
    isPreview: false,
    canonicalHost,
  });
}

async function deploymentRoute({ store }: HostingPorts, site: SiteRoute, host: string, label: string): Promise<Route> {
  const found = await store.deployments.find(site.siteId, Number(label));
  if (found === null) return absentRoute(store, site, host, label);
  const { id, number, createdAt: publishedAt, activatedAt } = found;
  const isPreview = activatedAt === null;
  const isPrivate = isPreview ? arePreviewsPrivate(site.previewAccess, site.private) : site.private;
  return makeRoute(site, { ...PREVIEW, host, target: label, shown: { id, number, publishedAt }, isPrivate, isPreview });
}

async function aliasRoute({ store }: HostingPorts, site: SiteRoute, host: string, label: string): Promise<Route> {
  const found = await store.previews.findRoute(site.siteId, label);
  if (found === null) return absentRoute(store, site, host, label);
  const shown = { id: found.deploymentId, number: found.deploymentNumber, publishedAt: found.updatedAt };
  const isPrivate = isAliasPrivate(site.previewAccess, site.private, found.activatedAt);
  return makeRoute(site, { ...PREVIEW, host, target: label, shown, isPrivate });
}

/** The existence of previews and deployments is hidden from others if either of them is private. */
async function absentRoute(store: HostingPorts["store"], site: SiteRoute, host: string, label: string): Promise<Route> {
  const absent = (await store.previews.hasExpired(site.siteId, label)) ? "expired" : "unknown";
  const isPrivate = site.private || arePreviewsPrivate(site.previewAccess, site.private);
  return makeRoute(site, { ...PREVIEW, host, target: label, absent, isPrivate });
}

const PREVIEW = {
  shown: null,
  absent: null,
  isLive: false,
  graceMs: 0,
  isPreview: true,
  canonicalHost: null,
} as const;

type RoutedSite = Pick<SiteRoute, "siteId" | "siteName" | "frozen" | "expired">;

interface Showing
  extends Pick<Route, "host" | "target" | "absent" | "isLive" | "graceMs" | "isPreview" | "canonicalHost"> {
  readonly shown: { readonly id: number; readonly number: number; readonly publishedAt: number } | null;
  readonly isPrivate: boolean;
}

function makeRoute({ siteId, siteName, frozen, expired }: RoutedSite, { shown, isPrivate, ...rest }: Showing): Route {
  const { id: deploymentId, number: deploymentNumber, publishedAt } = shown ?? NO_DEPLOYMENT;
  const { isLive, canonicalHost } = rest;
  const key = `${deploymentId} ${publishedAt} ${isPrivate ? "private" : ""}${isLive ? "" : "fixed"} ${canonicalHost ?? ""} `;
  const absent = expired ? "site_expired" : rest.absent;
  const facts = { private: isPrivate, frozen, deploymentId, deploymentNumber, publishedAt };
  return { ...rest, absent, movedTo: null, key, siteId, siteName, ...facts };
}
