import type { OperatorEvent } from "../../model/events.ts";

/** A problem of the server, with its event for the operator. */
export interface Incident {
  /** Identifies it while it lasts. */
  readonly name: string;
  readonly event: OperatorEvent;
}

/** The open incidents, so that the operator's webhook is called once for each, also across restarts. */
export interface IncidentStore {
  /** Returns the names of the incidents that are open. */
  listNames(): Promise<readonly string[]>;

  /**
   * Opens incidents that are not open, and closes those with the names in `over`. In the same transaction, adds an event
   * for each opened one to the operator's webhook, if there is one. Returns the names of the opened ones.
   */
  change(
    changes: { readonly begun: readonly Incident[]; readonly over: readonly string[] },
    at: number,
  ): Promise<readonly string[]>;
}
