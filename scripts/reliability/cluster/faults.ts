import type { Recording } from "./clients.ts";
import type { Database } from "./database.ts";
import type { Fault, NodeFaultKind, ServerFaultKind } from "./history.ts";
import type { ClusterNode } from "./node.ts";
import { NODE_PORT } from "./node.ts";
import { signalAll } from "./processes.ts";

/** The servers to which faults happen. */
interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly database: Database;
  readonly s3: { readonly port: number; readonly pids: readonly number[] };
}

/** After requests to S3 took too long, a node asks it again within a second. */
const S3_RETRY_MS = 3000;

/** How a fault is caused, and how its cause is removed. What it affected may need a while to recover. */
interface FaultOfNode {
  cause(node: ClusterNode, cluster: Cluster): unknown;
  lift(node: ClusterNode, cluster: Cluster): unknown;
}

const ended = (signal: NodeJS.Signals): FaultOfNode => ({
  async cause(node) {
    node.signal(signal);
    await node.ended();
  },
  lift: (node) => node.start(),
});

const cut = (port: (cluster: Cluster) => number, wait = 0): FaultOfNode => ({
  cause: ({ network }, cluster) => network.cut(port(cluster)),
  async lift({ network }) {
    await network.heal();
    await Bun.sleep(wait);
  },
});

const OF_NODES: Readonly<Record<NodeFaultKind, FaultOfNode>> = {
  "node killed": ended("SIGKILL"),
  "node drained": ended("SIGTERM"),
  "node stopped": {
    cause: (node) => node.signal("SIGSTOP"),
    async lift(node) {
      node.signal("SIGCONT");
      await Bun.sleep(S3_RETRY_MS);
    },
  },
  "node without database": cut(({ database }) => database.port),
  "node without S3": cut(({ s3 }) => s3.port, S3_RETRY_MS),
  "node without visitors": cut(() => NODE_PORT),
};

interface FaultOfServer {
  cause(cluster: Cluster): unknown;
  lift(cluster: Cluster): unknown;
}

const OF_SERVERS: Readonly<Record<ServerFaultKind, FaultOfServer>> = {
  "database killed": { cause: ({ database }) => database.kill(), lift: ({ database }) => database.start() },
  "database stopped": { cause: ({ database }) => database.suspend(), lift: ({ database }) => database.resume() },
  "S3 stopped": {
    cause: ({ s3 }) => signalAll(s3.pids, "SIGSTOP"),
    async lift({ s3 }) {
      signalAll(s3.pids, "SIGCONT");
      await Bun.sleep(S3_RETRY_MS);
    },
  },
};

export const NODE_FAULTS = Object.keys(OF_NODES) as readonly NodeFaultKind[];
export const SERVER_FAULTS = Object.keys(OF_SERVERS) as readonly ServerFaultKind[];

/** Makes faults that last for so many milliseconds, and records them when what they affected has recovered. */
export interface Faults {
  /** It ends when this node is ready. While the database is away no node can be: then, when its process answers. */
  ofNode(kind: NodeFaultKind, node: ClusterNode, duration: number): Promise<void>;
  /** It ends when all nodes are ready but the one that has a fault of its own. */
  ofServer(kind: ServerFaultKind, duration: number): Promise<void>;
}

/** One fault of a node and one of a server may happen at the same time. */
export function newFaults(cluster: Cluster, { faults }: Pick<Recording, "faults">): Faults {
  let faulty: ClusterNode | null = null;
  let isDatabaseAway = false;
  const hasRecovered = async (node: ClusterNode) =>
    (await node.responds("/ready")) || (isDatabaseAway && (await node.responds("/health")));

  return {
    async ofNode(kind, node, duration) {
      const { cause, lift } = OF_NODES[kind];
      const begin = performance.now();
      faulty = node;
      await cause(node, cluster);
      await Bun.sleep(duration);
      const lifted = performance.now();
      await lift(node, cluster);
      while (!(await hasRecovered(node))) await Bun.sleep(50);
      faulty = null;
      record(faults, { kind, node: node.name, begin, lifted, end: performance.now() });
    },

    async ofServer(kind, duration) {
      const { cause, lift } = OF_SERVERS[kind];
      const begin = performance.now();
      isDatabaseAway = kind !== "S3 stopped";
      await cause(cluster);
      await Bun.sleep(duration);
      const lifted = performance.now();
      isDatabaseAway = false;
      await lift(cluster);
      for (const node of cluster.nodes) while (node !== faulty && !(await node.responds("/ready"))) await Bun.sleep(50);
      record(faults, { kind, node: null, begin, lifted, end: performance.now() });
    },
  };
}

export async function allReady(nodes: readonly ClusterNode[]): Promise<void> {
  for (const node of nodes) while (!(await node.responds("/ready"))) await Bun.sleep(50);
}

// --- internal ---

function record(faults: Fault[], fault: Fault): void {
  faults.push(fault);
  const { kind, node, begin, lifted, end } = fault;
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  console.error(
    `${kind}${node ? ` (${node})` : ""} for ${seconds(lifted - begin)}: recovered ${seconds(end - lifted)} later`,
  );
}
