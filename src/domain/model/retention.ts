/** A rule for the deployments of a site that are kept. Either field keeps a deployment; without both, all are kept. */
export interface RetentionPolicy {
  /** Keeps this many of the newest deployments; null for no such rule. */
  readonly last: number | null;
  /** Keeps deployments that were created or active within this many days; null for no such rule. */
  readonly days: number | null;
}

/** Maximum value of a rule. It is larger than anyone needs, and this many days are still a valid date. */
export const MAX_KEPT = 100_000;
