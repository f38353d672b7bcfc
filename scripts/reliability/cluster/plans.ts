import type { Recording } from "./clients.ts";
import { type Cluster, FAULT_KINDS, makeFault } from "./faults.ts";
import type { FaultKind } from "./history.ts";
import type { ClusterNode } from "./node.ts";

/** What happens to a cluster under load, until a time in milliseconds of `performance.now`. */
export type Plan = (cluster: Cluster, recording: Recording, until: number) => Promise<void>;

/** Time without a fault between two. */
const REST_MS = 4000;
/** Time at the end in which everything settles. */
const LONGEST_FAULT_MS = 20_000;

export const PLANS = {
  /** All kinds in random order, each to a random node, again and again. */
  mixed: (cluster, recording, until) => makeFaults(FAULT_KINDS, cluster, recording, until),
  /** Every node in turn is drained and replaced, then one is killed. */
  upgrade: async (cluster, recording, until) => {
    while (performance.now() < until) {
      for (const node of cluster.nodes) await one("node drained", cluster, node, recording);
      await one("node killed", cluster, anyOf(cluster.nodes), recording);
    }
  },
  /** The database is away for most of the time. */
  away: async (cluster, recording, until) => {
    await Bun.sleep(REST_MS);
    const duration = until - performance.now() - LONGEST_FAULT_MS;
    await makeFault("database killed", cluster, anyOf(cluster.nodes), recording, duration);
  },
  /** Nothing: for builds with a mistake that needs no fault. */
  calm: (_, __, until) => Bun.sleep(until - performance.now()),
} satisfies Readonly<Record<string, Plan>>;

export type PlanName = keyof typeof PLANS;

/** Makes faults of one kind, again and again. */
export function onlyFaults(kind: FaultKind): Plan {
  return (cluster, recording, until) => makeFaults([kind], cluster, recording, until);
}

// --- internal ---

async function makeFaults(
  kinds: readonly FaultKind[],
  cluster: Cluster,
  recording: Recording,
  until: number,
): Promise<void> {
  let left: FaultKind[] = [];
  while (performance.now() < until - LONGEST_FAULT_MS) {
    if (left.length === 0) left = [...kinds].sort(() => Math.random() - 0.5);
    await one(left.pop() as FaultKind, cluster, anyOf(cluster.nodes), recording);
  }
}

async function one(kind: FaultKind, cluster: Cluster, node: ClusterNode, recording: Recording): Promise<void> {
  await Bun.sleep(REST_MS);
  await makeFault(kind, cluster, node, recording);
  const { node: whose, begin, end } = recording.faults.at(-1)!;
  console.error(`${kind}${whose ? ` (${whose})` : ""}: recovered after ${((end - begin) / 1000).toFixed(1)} s`);
}

function anyOf<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}
