import type { OperatorEvent } from "../../webhooks/events.ts";

/** Something that is wrong with the server, and the event that tells its operator. */
export interface Incident {
  /** Identifies it while it lasts. */
  readonly name: string;
  readonly event: OperatorEvent;
}

/** What is wrong at the moment, so that the operator's webhook is called once for each incident, also after a restart. */
export interface IncidentStore {
  /** Returns the names of the incidents that are open. */
  listNames(): Promise<readonly string[]>;

  /**
   * Closes the incidents that are not among these, and opens those that are new. In the same transaction, the operator's
   * webhook gets the event of each that was opened; without one, nobody does. Returns the names of those opened.
   */
  reconcile(current: readonly Incident[], at: number): Promise<readonly string[]>;
}
