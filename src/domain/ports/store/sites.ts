import type { Quota, QuotaExcess } from "../../accounts/quota.ts";
import type { DeploymentSource } from "../../deployments/deployment.ts";
import type { PreviewAccess } from "../../deployments/previews.ts";
import type { Freeze } from "../../sites/freeze.ts";
import type { Site } from "../../sites/site.ts";

/** What a visitor's request needs to know of a site. */
export interface SiteRoute {
  readonly siteId: number;
  readonly siteName: string;
  readonly private: boolean;
  readonly activeDeploymentId: number | null;
  readonly activeDeployment: number | null;
  /** When the active deployment last became it. */
  readonly activatedAt: number | null;
  /** Whether the operator froze the site, or its owner with it. */
  readonly frozen: boolean;
  readonly previewAccess: PreviewAccess;
}

/** A part of the list of all sites. */
export interface SiteQuery {
  /** What the name or the owner's login contain; null for all. */
  readonly text: string | null;
  /** Only private sites, or only frozen ones. */
  readonly only?: "private" | "frozen";
  /** The last name of the page before; null for the first one. */
  readonly after: string | null;
  readonly limit: number;
}

/** A site with what the operator wants to know of it. */
export interface SiteListing extends Site {
  readonly owner: string;
  readonly deployments: number;
  /** Of all deployments that are kept. */
  readonly keptBytes: number;
  /** Of the last 30 days. */
  readonly recentViews: number;
  readonly recentTraffic: number;
  /** Claims of hostnames that are open. */
  readonly domains: number;
}

/** What happened lately at a site. */
export interface SiteActivity {
  readonly siteId: number;
  readonly siteName: string;
  /** The file of the active deployment that is the site's icon (`ICON_FILES`); null where it has none. */
  readonly icon: string | null;
  /** Views by day since the epoch, in order; days without views are absent. */
  readonly viewDays: readonly { readonly day: number; readonly views: number }[];
  /** Kept deployments that were made since the asked time. */
  readonly recentDeployments: number;
  /** The kept deployment of the highest number; null where none is kept. */
  readonly lastDeployment: {
    readonly number: number;
    readonly source: DeploymentSource;
    readonly actor: string;
  } | null;
}

export interface SiteStore {
  /** Returns a site by its name; null when there is none. */
  find(name: string): Promise<Site | null>;
  /** An owner's sites by name. */
  listOfOwner(ownerId: number): Promise<readonly Site[]>;

  /** The activity at an owner's sites, by name: views from `day` on, deployments made at `deployedAt` or later. */
  activityOfOwner(
    ownerId: number,
    since: { readonly day: number; readonly deployedAt: number },
  ): Promise<readonly SiteActivity[]>;

  /** Returns the route of a site by its name; one indexed read. */
  findRoute(name: string): Promise<SiteRoute | null>;

  /** Returns the sites after a name, by name, that the query means. */
  page(query: SiteQuery, now: number): Promise<readonly SiteListing[]>;
  /** Returns the same of one site; null when there is none. */
  listing(name: string, now: number): Promise<SiteListing | null>;

  /**
   * Gives a site and its claims to another person in one step, unless they have no room for it: `quota` is the server's,
   * for people without limits of their own. The new owner is no reader any more.
   */
  transfer(
    id: number,
    ownerId: number,
    quota: Quota,
  ): Promise<
    { readonly outcome: "transferred" | "missing" } | { readonly outcome: "over_quota"; readonly excess: QuotaExcess }
  >;

  /** Makes a site private or public; visitors see it with their next request. */
  setPrivate(id: number, isPrivate: boolean): Promise<void>;

  /** Freezes a site, or lifts that; visitors see it with their next request. False when there is no such site. */
  setFrozen(id: number, freeze: Freeze | null): Promise<boolean>;

  /** Replaces a site's tags. False when there is no such site. */
  setTags(id: number, tags: readonly string[]): Promise<boolean>;

  /**
   * Deletes a site with its deployments, tokens and readers in one step, and keeps its name from other owners until
   * `nameFreeAt`, and from everybody if the site is frozen. `has_domains`, and nothing changed, while a claim is pending
   * or verified or a route is not yet removed. Notes what it means for the site's webhooks, which tell what they have to
   * and are then forgotten.
   */
  delete(id: number, at: number, nameFreeAt: number): Promise<"deleted" | "has_domains" | "missing">;

  /** Forgets names of deleted sites that are free for everybody by `now`; returns how many. */
  removeFreeNames(now: number): Promise<number>;
}
