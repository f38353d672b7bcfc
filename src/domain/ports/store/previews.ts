import type { Alias, PreviewPolicy } from "../../deployments/previews.ts";

/** What a visit to an alias needs to know. */
export interface AliasRoute {
  readonly deploymentId: number;
  readonly deploymentNumber: number;
  /** When the alias last moved. */
  readonly updatedAt: number;
}

export type AliasChange = Pick<Alias, "name" | "deploymentNumber" | "expiresAt"> & { readonly at: number };

/** Previews: aliases, their expiry, and what holds for the previews of each site. */
export interface PreviewStore {
  /** The aliases of a site by name. */
  listAliases(siteId: number): Promise<readonly Alias[]>;

  /** Returns the route of an alias; null where there is none. One indexed read. */
  findRoute(siteId: number, name: string): Promise<AliasRoute | null>;

  /**
   * Makes or moves an alias in one step, and adds the event; visitors see it with their next request. `missing` where
   * the site has no such deployment, `too_many` over `MAX_ALIASES`.
   */
  setAlias(
    siteId: number,
    change: AliasChange,
  ): Promise<{ readonly alias: Alias; readonly isNew: boolean } | "missing" | "too_many">;

  /** Removes an alias; false where there is none. */
  removeAlias(siteId: number, name: string): Promise<boolean>;

  policy(siteId: number): Promise<PreviewPolicy>;

  /** Changes what is given; visitors see it with their next request. */
  setPolicy(siteId: number, change: Partial<PreviewPolicy>): Promise<void>;

  /** Whether an alias, or a deployment of this number, expired recently. */
  hasExpired(siteId: number, label: string): Promise<boolean>;

  /**
   * Removes up to `limit` aliases that have expired by `now`, and as many previews that no alias points to and that are
   * not pinned, with their events; returns how many in all. Their addresses count as expired from then on.
   */
  expire(now: number, limit: number): Promise<number>;

  /** Forgets what expired before a moment. */
  forgetExpired(before: number): Promise<void>;
}
