import type { Alias, PreviewPolicy } from "../../model/preview.ts";

/** The data that a visit of an alias needs. */
export interface AliasRoute {
  readonly deploymentId: number;
  readonly deploymentNumber: number;
  /** When the deployment was last activated; null if it never was. */
  readonly activatedAt: number | null;
  /** When the alias was last moved. */
  readonly updatedAt: number;
}

export type AliasChange = Pick<Alias, "name" | "deploymentNumber" | "expiresAt"> & { readonly at: number };

/** Previews: aliases, their expiry, and the preview settings of each site. */
export interface PreviewStore {
  /** Returns the aliases of a site by name. */
  listAliases(siteId: number): Promise<readonly Alias[]>;

  /** Returns the route of an alias; null if there is none. One indexed read. */
  findRoute(siteId: number, name: string): Promise<AliasRoute | null>;

  /**
   * Creates or moves an alias in one transaction with its event; the next visit sees it. Returns `missing` if the site
   * has no such deployment, and `too_many` above `MAX_ALIASES`.
   */
  setAlias(
    siteId: number,
    change: AliasChange,
  ): Promise<{ readonly alias: Alias; readonly isNew: boolean } | "missing" | "too_many">;

  /** Deletes an alias; false if there is none. */
  deleteAlias(siteId: number, name: string): Promise<boolean>;

  policy(siteId: number): Promise<PreviewPolicy>;

  /** Changes the given fields; the next visit sees it. */
  setPolicy(siteId: number, change: Partial<PreviewPolicy>): Promise<void>;

  /** Returns whether an alias, or a deployment with this number, expired recently. */
  hasExpired(siteId: number, label: string): Promise<boolean>;

  /**
   * Removes up to `limit` aliases that have expired by `now`, and as many previews without alias and pin, with their
   * events. Returns their total number. Their URLs count as expired from then on.
   */
  expire(now: number, limit: number): Promise<number>;

  /** Deletes the records of what expired before this time. */
  deleteExpired(before: number): Promise<void>;
}
