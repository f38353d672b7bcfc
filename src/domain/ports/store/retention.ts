import type { Deployment } from "../../model/deployment.ts";
import type { OwnRetentionPolicy } from "../../model/retention.ts";
import type { HeldLease } from "./jobs.ts";

/** The fields of a deployment that retention needs. */
export interface RetainedDeployment extends Pick<Deployment, "id" | "number" | "active" | "createdAt" | "activatedAt"> {
  /** When another one replaced it; null while it is active, and if it never was. */
  readonly replacedAt: number | null;
  readonly pinned: boolean;
  /** True if an alias points to it. */
  readonly aliased: boolean;
}

/** A site's own policy to be set. Without `graceDays`, its grace period stays as it is. */
export type PolicyChange = Omit<OwnRetentionPolicy, "graceDays"> & Partial<Pick<OwnRetentionPolicy, "graceDays">>;

export interface RetentionStore {
  /** Returns all sites by name with their own policy; null if the server's applies. */
  listSites(): Promise<readonly { siteId: number; siteName: string; policy: OwnRetentionPolicy | null }[]>;

  /** Returns a site's own policy; null if the server's applies. */
  findPolicy(siteId: number): Promise<OwnRetentionPolicy | null>;

  /**
   * Sets a site's own policy; null removes it. The next visit on every thread and node has its grace period. Throws
   * `not_found` if the site was deleted meanwhile.
   */
  setPolicy(siteId: number, policy: PolicyChange | null): Promise<void>;

  /** Pins a deployment, which retention then keeps, or unpins it; false if the site has no such deployment. */
  setPinned(siteId: number, number: number, pinned: boolean): Promise<boolean>;

  /** Returns all deployments of a site. */
  listDeployments(siteId: number): Promise<readonly RetainedDeployment[]>;

  /** Returns the total size of contents that only these deployments refer to. */
  exclusiveBytes(deploymentIds: readonly number[]): Promise<number>;

  /**
   * Deletes deployments of the site in one transaction, except those that are active, pinned or aliased by now, with
   * their event for the site's webhooks. Returns the numbers of the removed ones. On a full disk the reserve file is
   * released for it.
   */
  deleteDeployments(
    siteId: number,
    deploymentIds: readonly number[],
    at: number,
    lease?: HeldLease | null,
  ): Promise<readonly number[]>;
}
