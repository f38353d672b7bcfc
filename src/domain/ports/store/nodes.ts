import type { DrainOutcome } from "../../model/drain.ts";
import type { RateExchange } from "./rate-exchange.ts";

/** A node of a cluster: a server that shares its database with others. */
export interface NodeStatus {
  /** Of the settings of the node; no other node with a lease has it. */
  readonly name: string;
  readonly address: string;
  readonly version: string;
  /** An isolated node has not reached the database for some seconds. A draining one ends soon. */
  readonly state: "live" | "isolated" | "draining";
  /** The position in the log of changes up to which its visitors see them. */
  readonly applied: number;
  /** When it last reached the database, in milliseconds since the epoch. */
  readonly lastSeenAt: number;
}

/** The state of what the nodes share. */
interface ClusterMeasures {
  /** The position of the newest change in the log; 0 before the first. */
  readonly newestChange: number;
  readonly databaseBytes: number;
}

/** The nodes of a cluster. */
export interface NodeDirectory {
  readonly rates: RateExchange;

  /**
   * Returns the nodes by name. A node that ended properly is not listed any more, and one that is silent is listed for a
   * day, or until it starts again.
   */
  list(): Promise<readonly NodeStatus[]>;

  measure(): Promise<ClusterMeasures>;

  /**
   * Requests that all nodes of a name drain, unless that would leave no other live node. Each begins within a second, or
   * as soon as it reaches the database again.
   */
  requestDrain(name: string): Promise<DrainOutcome>;

  /**
   * Deletes nodes that have been silent for a day, and changes that no node needs any more from the log: those that all
   * nodes of the last hour have applied more than an hour ago, and those before the last 10,000. A node that comes back
   * notices that its place is gone, and reads everything. Returns the numbers of what was removed.
   */
  deleteOld(): Promise<{ readonly nodes: number; readonly changes: number }>;
}
