import { DAY } from "../timestamp.ts";

/** A rule for the deployments of a site that are kept. Without `last` and `days`, all are kept; either keeps one. */
interface KeptDeployments {
  /** Keeps this many of the newest deployments; null for no such rule. */
  readonly last: number | null;
  /** Keeps deployments that were created or active within this many days; null for no such rule. */
  readonly days: number | null;
}

/** The policy that applies to a site. */
export interface RetentionPolicy extends KeptDeployments {
  /**
   * For how long the fingerprinted files of a replaced deployment are served to pages that visitors still have open, so
   * that it is kept, too.
   */
  readonly graceMs: number;
}

export interface OwnRetentionPolicy extends KeptDeployments {
  /** Null for the server's grace period. */
  readonly graceDays: number | null;
}

/** Maximum value of a rule. It is larger than anyone needs, and this many days are still a valid date. */
export const MAX_KEPT = 100_000;

/** A tab that is open for longer is rare, and each former deployment takes up space. */
export const MAX_GRACE_DAYS = 90;

/** Returns the policy of a site: its own, or else the server's. */
export function policyInForce(own: OwnRetentionPolicy | null, standard: RetentionPolicy): RetentionPolicy {
  if (own === null) return standard;
  return { last: own.last, days: own.days, graceMs: graceInForce(own.graceDays, standard.graceMs) };
}

/** Returns the grace period of a site: its own, or else the server's. */
export function graceInForce(ownDays: number | null, standardMs: number): number {
  return ownDays === null ? standardMs : ownDays * DAY;
}
