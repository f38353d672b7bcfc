/** Row counts for monitoring. */
export interface Figures {
  readonly users: number;
  readonly sites: number;
  readonly privateSites: number;
  readonly deployments: number;
  readonly contents: number;
  readonly contentBytes: number;
  /** Custom domains by status of claim and route; combinations that do not occur are omitted. */
  readonly claims: readonly { readonly status: string; readonly route: string; readonly count: number }[];
  readonly webhooks: {
    readonly active: number;
    readonly disabled: number;
    /** Stored deliveries by status; a status that does not occur is omitted. */
    readonly deliveries: readonly { readonly status: string; readonly count: number }[];
    /** The time of the oldest undelivered event; null if there is none. */
    readonly oldestPendingAt: number | null;
  };
}
