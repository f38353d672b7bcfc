/** How much there is of what, for whoever watches the server. */
export interface Figures {
  readonly users: number;
  readonly sites: number;
  readonly privateSites: number;
  readonly deployments: number;
  readonly contents: number;
  readonly contentBytes: number;
  /** Custom domains by status of claim and route; combinations that do not occur are left out. */
  readonly claims: readonly { readonly status: string; readonly route: string; readonly count: number }[];
  readonly webhooks: {
    readonly active: number;
    readonly disabled: number;
    /** Deliveries that are kept, by status; a status that does not occur is left out. */
    readonly deliveries: readonly { readonly status: string; readonly count: number }[];
    /** When the oldest event happened that is not delivered yet; null without one. */
    readonly oldestPendingAt: number | null;
  };
}
