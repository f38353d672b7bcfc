import {
  countOperation,
  newOperationSlots,
  type Observe,
  type OperationFigures,
  type OperationSlots,
  readOperations,
} from "./operation-meters.ts";

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

/** Returns functions that count operations. */
export function clusterMeters({ database, barrier }: ClusterMeterSlots): {
  readonly observe: Observe;
  readonly observeBarrier: Observe;
} {
  return {
    observe: (seconds, isFailed) => countOperation(database, seconds, isFailed),
    observeBarrier: (seconds, isFailed) => countOperation(barrier, seconds, isFailed),
  };
}

export interface ClusterFigures {
  readonly database: OperationFigures;
  readonly barrier: OperationFigures;
}

export function readClusterMeters({ database, barrier }: ClusterMeterSlots): ClusterFigures {
  return { database: readOperations(database), barrier: readOperations(barrier) };
}
