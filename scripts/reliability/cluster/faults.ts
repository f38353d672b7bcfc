import type { Recording } from "./clients.ts";
import type { Database } from "./database.ts";
import type { FaultKind } from "./history.ts";
import type { ClusterNode } from "./node.ts";
import { NODE_PORT } from "./node.ts";
import { signalAll } from "./processes.ts";

/** The servers to which faults happen. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly database: Database;
  readonly s3: { readonly port: number; readonly pids: readonly number[] };
}

/** Longer than a lease and the wait for it, so that others evict a node meanwhile. */
const STOPPED_MS = 7000;
const CUT_MS = 10_000;
const DEAD_MS = 3000;
/** After S3 is back, nodes ask it again within a second. */
const S3_RETRY_MS = 3000;

/** A fault, from its beginning until its end; `node` is the one it happens to. */
type Make = (cluster: Cluster, node: ClusterNode, duration: number) => Promise<void>;

interface FaultPlan {
  readonly isOfNode: boolean;
  readonly duration: number;
  readonly make: Make;
}

const cut =
  (port: (cluster: Cluster) => number): Make =>
  async (cluster, { network }, duration) => {
    await network.cut(port(cluster));
    await Bun.sleep(duration);
    await network.heal();
  };

/** How each fault is made. It ends when all nodes are ready again. */
const FAULTS: Readonly<Record<FaultKind, FaultPlan>> = {
  "node killed": {
    isOfNode: true,
    duration: DEAD_MS,
    async make(_, node, duration) {
      node.signal("SIGKILL");
      await node.ended();
      await Bun.sleep(duration);
      await node.start();
    },
  },
  "node stopped": {
    isOfNode: true,
    duration: STOPPED_MS,
    async make(_, node, duration) {
      node.signal("SIGSTOP");
      await Bun.sleep(duration);
      node.signal("SIGCONT");
    },
  },
  "node drained": {
    isOfNode: true,
    duration: 0,
    async make(_, node) {
      node.signal("SIGTERM");
      await node.ended();
      await node.start();
    },
  },
  "node without database": { isOfNode: true, duration: CUT_MS, make: cut(({ database }) => database.port) },
  "node without S3": { isOfNode: true, duration: CUT_MS, make: cut(({ s3 }) => s3.port) },
  "node without visitors": { isOfNode: true, duration: STOPPED_MS, make: cut(() => NODE_PORT) },
  "database killed": {
    isOfNode: false,
    duration: DEAD_MS,
    async make({ database }, _, duration) {
      database.kill();
      await Bun.sleep(duration);
      await database.start();
    },
  },
  "database stopped": {
    isOfNode: false,
    duration: STOPPED_MS,
    async make({ database }, _, duration) {
      database.suspend();
      await Bun.sleep(duration);
      database.resume();
    },
  },
  "S3 stopped": {
    isOfNode: false,
    duration: STOPPED_MS,
    async make({ s3 }, _, duration) {
      signalAll(s3.pids, "SIGSTOP");
      await Bun.sleep(duration);
      signalAll(s3.pids, "SIGCONT");
      await Bun.sleep(S3_RETRY_MS);
    },
  },
};

export const FAULT_KINDS = Object.keys(FAULTS) as readonly FaultKind[];

/** Makes one fault and waits until all nodes are ready. `duration` replaces the usual one, in milliseconds. */
export async function makeFault(
  kind: FaultKind,
  cluster: Cluster,
  node: ClusterNode,
  recording: Recording,
  duration?: number,
): Promise<void> {
  const plan = FAULTS[kind];
  const begin = performance.now();
  await plan.make(cluster, node, duration ?? plan.duration);
  await allReady(cluster.nodes);
  recording.faults.push({ kind, node: plan.isOfNode ? node.name : null, begin, end: performance.now() });
}

export async function allReady(nodes: readonly ClusterNode[]): Promise<void> {
  for (const node of nodes) while (!(await node.isReady())) await Bun.sleep(50);
}
