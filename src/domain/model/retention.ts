/** Which deployments of a site are kept. Either rule keeps a deployment; without rules, all are kept. */
export interface RetentionPolicy {
  /** Keeps the newest deployments; null for no such rule. */
  readonly last: number | null;
  /** Keeps deployments created or active within these days; null for no such rule. */
  readonly days: number | null;
}

/** Maximum value of a rule. It is larger than anyone needs, and this many days are still a valid date. */
export const MAX_KEPT = 100_000;
