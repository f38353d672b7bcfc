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
   * Closes the incidents of the caller that are not among these, and opens those that are new. In the same transaction,
   * adds an event for each new one to the operator's webhook, if there is one. Returns the names of the new ones.
   * `isOwn` says whether the caller watches for an incident of that name.
   */
  reconcile(current: readonly Incident[], at: number, isOwn: (name: string) => boolean): Promise<readonly string[]>;
}
