import type { OwnQuota, Usage } from "../../model/quota.ts";

/** The usage of users, and their own limits. */
export interface QuotaStore {
  /** Adds up the sites and kept deployments of a user. */
  usage(userId: number): Promise<Usage>;

  /** Returns a user's own limits; empty if all are the server's. */
  own(userId: number): Promise<OwnQuota>;

  /** Replaces a user's own limits in one transaction. */
  setOwn(userId: number, quota: OwnQuota): Promise<void>;
}
