import type { OwnQuota, Usage } from "../../accounts/quota.ts";

/** What people's sites amount to, and the limits that the operator gave single people. */
export interface QuotaStore {
  /** Sums up the sites and kept deployments of a person. */
  usage(userId: number): Promise<Usage>;

  /** Returns the limits that are a person's own; empty where all are the server's. */
  own(userId: number): Promise<OwnQuota>;

  /** Replaces the limits that are a person's own, in one step. */
  setOwn(userId: number, quota: OwnQuota): Promise<void>;
}
