import type { Deployment } from "../../deployments/deployment.ts";
import type { RetentionPolicy } from "../../deployments/retention.ts";
import type { HeldLease } from "./jobs.ts";

/** What decides whether a deployment stays. */
export interface RetainedDeployment extends Pick<Deployment, "id" | "number" | "active" | "createdAt" | "activatedAt"> {
  /** When another took its place; null while it is active, and where it never was. */
  readonly replacedAt: number | null;
  readonly pinned: boolean;
  /** Whether an alias points to it. */
  readonly aliased: boolean;
}

export interface RetentionStore {
  /** All sites by name, with the policy of their own; null where the server's holds. */
  listSites(): Promise<readonly { siteId: number; siteName: string; policy: RetentionPolicy | null }[]>;

  /** Returns a site's own policy; null where the server's holds. */
  findPolicy(siteId: number): Promise<RetentionPolicy | null>;

  /** Gives a site a policy of its own; null takes it away. Throws `not_found` where the site has been deleted meanwhile. */
  setPolicy(siteId: number, policy: RetentionPolicy | null): Promise<void>;

  /** Pins a deployment, which then always stays, or lets it go; false when the site has no such deployment. */
  setPinned(siteId: number, number: number, pinned: boolean): Promise<boolean>;

  /** All deployments of a site. */
  listDeployments(siteId: number): Promise<readonly RetainedDeployment[]>;

  /** Returns the length of the contents that no deployment but these refers to. */
  exclusiveBytes(deploymentIds: readonly number[]): Promise<number>;

  /**
   * Removes deployments of the site in one step, but none that is active, pinned or aliased by now; returns the numbers of those
   * that are gone, and notes what it means for the site's webhooks. On a full disk the ballast is given up for it.
   */
  remove(
    siteId: number,
    deploymentIds: readonly number[],
    at: number,
    lease?: HeldLease | null,
  ): Promise<readonly number[]>;
}
