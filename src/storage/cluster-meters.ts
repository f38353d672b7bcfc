import { newOperationSlots, type OperationFigures, type OperationSlots, readOperations } from "./operation-meters.ts";

/** The counts of all threads of a node, in memory that they share. */
export interface ClusterMeterSlots {
  /** Queries and transactions. */
  readonly database: OperationSlots;
  /** Waits until all nodes have applied a change. */
  readonly barrier: OperationSlots;
}

export function newClusterMeterSlots(): ClusterMeterSlots {
  return { database: newOperationSlots(), barrier: newOperationSlots() };
}

export interface ClusterFigures {
  readonly database: OperationFigures;
  readonly barrier: OperationFigures;
}

export function readClusterMeters({ database, barrier }: ClusterMeterSlots): ClusterFigures {
  return { database: readOperations(database), barrier: readOperations(barrier) };
}
