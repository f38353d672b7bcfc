import type { DeploymentSource } from "../../model/deployment.ts";
import type { Freeze } from "../../model/freeze.ts";
import type { PreviewAccess } from "../../model/preview.ts";
import type { Quota, QuotaExcess } from "../../model/quota.ts";
import type { Role, WorkingRole } from "../../model/role.ts";
import type { Site } from "../../model/site.ts";
import type { SiteExpiry } from "../../model/site-expiry.ts";
import type { Ended, EndedByTransfer } from "../../model/transfer.ts";

/** The data of a site that a visit needs. */
export interface SiteRoute {
  readonly siteId: number;
  readonly siteName: string;
  readonly private: boolean;
  readonly activeDeploymentId: number | null;
  readonly activeDeployment: number | null;
  /** When the active deployment was last activated. */
  readonly activatedAt: number | null;
  /** True if the operator froze the site or its owner. */
  readonly frozen: boolean;
  readonly expired: boolean;
  readonly previewAccess: PreviewAccess;
  /** The site's own grace period; null for the server's. */
  readonly graceDays: number | null;
}

/** A page of the list of all sites. */
export interface SiteQuery {
  /** A text in the name or the owner's login; null for all. */
  readonly text: string | null;
  /** Only sites of this kind. */
  readonly only?: "private" | "public" | "frozen";
  /** The last name of the previous page; null for the first one. */
  readonly after: string | null;
  readonly limit: number;
}

/** A site with the data for operators. */
export interface SiteListing extends Site {
  readonly owner: string;
  readonly deployments: number;
  /** The size of all kept deployments. */
  readonly keptBytes: number;
  /** Views in the last 30 days. */
  readonly recentViews: number;
  readonly recentTraffic: number;
  /** The number of open claims of hostnames. */
  readonly domains: number;
}

/** The recent activity of a site. */
export interface SiteActivity {
  readonly siteId: number;
  readonly siteName: string;
  /** The site's icon in the active deployment (`ICON_FILES`); null if it has none. */
  readonly icon: string | null;
  /** Views by day since the epoch, in order; days without views are omitted. */
  readonly viewDays: readonly { readonly day: number; readonly views: number }[];
  /** The number of kept deployments since the requested time. */
  readonly recentDeployments: number;
  /** The kept deployment with the highest number; null if there is none. */
  readonly lastDeployment: {
    readonly number: number;
    readonly source: DeploymentSource;
    readonly actor: string;
  } | null;
  /** See `Deployment.startPageGone`; of the active deployment. */
  readonly startPageGone: boolean;
}

/** The result of a transfer. */
export type SiteTransfer =
  | { readonly outcome: "transferred"; readonly site: Site; readonly ended: Ended }
  | { readonly outcome: "missing" }
  | { readonly outcome: "over_quota"; readonly excess: QuotaExcess };

/** A site that is asked for by a former name. */
export type RenamedSite = Pick<SiteRoute, "siteId" | "siteName">;

export interface SiteStore {
  /** Returns a site by its name, or by a former name that is still reserved for it; null if there is none. */
  find(name: string): Promise<Site | null>;
  /** Returns the strongest role of a user on a site; null for none. A reader of a public site is one as well. */
  roleOf(siteId: number, userId: number, now: number): Promise<Role | null>;
  /** Returns the role that a user has as the owner or as a member, without groups; null for none. */
  ownRoleOf(siteId: number, userId: number): Promise<Role | null>;
  /** Returns the sites on which a user works, by name, with their role. */
  listOfMember(userId: number, now: number): Promise<readonly (Site & { readonly role: WorkingRole })[]>;
  /** Returns an owner's sites by name. */
  listOfOwner(ownerId: number): Promise<readonly Site[]>;

  /**
   * Returns the activity of the sites on which a user works, by name: views from `day` on, deployments created at `deployedAt` or
   * later.
   */
  activityOfMember(
    userId: number,
    since: { readonly day: number; readonly deployedAt: number },
    now: number,
  ): Promise<readonly SiteActivity[]>;

  /** Returns the route of a site by its name. One indexed read. */
  findRoute(name: string): Promise<SiteRoute | null>;

  /** Returns the site that had a name before, while the name is reserved for it. One indexed read. */
  findRenamed(name: string): Promise<RenamedSite | null>;

  /** Returns a page of sites by name. */
  page(query: SiteQuery, now: number): Promise<readonly SiteListing[]>;
  /** Returns the listing of one site; null if there is none. */
  listing(name: string, now: number): Promise<SiteListing | null>;

  /**
   * Transfers a site and its claims to another user in one transaction, unless their quota is too small. `quota` is the
   * server's, for users without their own. The new owner is removed from the readers and the members, who otherwise stay; the former owner keeps no role. What the former owner set up
   * ends, except what is kept; nothing ends if the user owns the site already.
   */
  transfer(
    id: number,
    ownerId: number,
    options: { readonly quota: Quota; readonly keep: readonly EndedByTransfer[] },
  ): Promise<SiteTransfer>;

  /** Makes a site private or public. The next visit sees it. */
  setPrivate(id: number, isPrivate: boolean): Promise<void>;

  /** Freezes or unfreezes a site, and returns it. The next visit sees it. Returns null if there is no such site. */
  setFrozen(id: number, freeze: Freeze | null): Promise<Site | null>;

  /** Replaces a site's tags. Returns false if there is no such site. */
  setTags(id: number, tags: readonly string[]): Promise<boolean>;

  /** Sets when a site expires, and shows it again if it had expired. Returns false if there is no such site. */
  setExpiry(id: number, expiry: SiteExpiry): Promise<boolean>;
  /** Adds an event for the webhooks of sites that are due to be told. Returns their number, at most `limit`. */
  notifyExpiring(now: number, limit: number): Promise<number>;
  /** Marks sites as expired whose time has come by `now`. The next visit sees it. Returns their number, at most `limit`. */
  expire(now: number, limit: number): Promise<number>;
  /** Returns the sites that expired at `before` or earlier. */
  listExpired(before: number, limit: number): Promise<readonly Pick<Site, "id" | "name">[]>;

  /**
   * Deletes a site with its deployments, tokens and readers in one transaction, and reserves its name until
   * `nameFreeAt`, and for nobody if the site is frozen. Returns `has_domains` without changes while a claim is pending
   * or verified or a route is not yet removed. Adds an event for the site's webhooks, which are deleted after their
   * deliveries. With `ifExpiredBefore`, a site that has not expired by then counts as missing.
   */
  delete(
    id: number,
    at: number,
    nameFreeAt: number,
    condition?: { readonly ifExpiredBefore: number },
  ): Promise<"deleted" | "has_domains" | "missing">;

  /**
   * Renames a site in one transaction. Its former name leads to it until `nameFreeAt`. Returns `taken` if another site
   * has the name, or if it is reserved for another owner or another site's former name, and the alias whose host would
   * be too long. The next visit sees it.
   */
  rename(
    id: number,
    to: { readonly name: string; readonly at: number; readonly nameFreeAt: number },
  ): Promise<"renamed" | "taken" | "missing" | { readonly longAlias: string }>;

  /** Frees the names of deleted and renamed sites that are free by `now`. Returns their number. */
  deleteFreeNames(now: number): Promise<number>;
}
