import { type Faults, NODE_FAULTS, SERVER_FAULTS } from "./faults.ts";
import type { FaultKind, NodeFaultKind, ServerFaultKind } from "./history.ts";
import type { ClusterNode } from "./node.ts";

/** What happens to a cluster under load, until a time in milliseconds of `performance.now`. */
type Plan = (faults: Faults, nodes: readonly ClusterNode[], until: number) => Promise<void>;

/** Time at the end in which everything settles. */
const MAX_FAULT_MS = 20_000;

/** Others stop waiting for a node within five seconds. Some faults end before that, some long after it. */
const SHORT_MS = { least: 300, most: 3000 };
const LONG_MS = { least: 4200, most: 8000 };
const SHARE_OF_LONG = 1 / 3;

/** Hardly any change succeeds while a server is away, and no node is evicted then. */
const SHARE_OF_LONG_OF_SERVERS = 1 / 5;

/** Time without a fault between two of one sequence. */
const REST_OF_NODES_MS = { least: 500, most: 2500 };
const REST_OF_SERVERS_MS = { least: 2500, most: 6500 };

const REST_OF_UPGRADES_MS = 4000;
const DEAD_MS = 3000;

/** Time with changes before and after the database is away. */
const AROUND_OUTAGE_MS = 60_000;

export const PLANS = {
  /** Two sequences at the same time, each with all its kinds in random order, again and again. */
  mixed: async (faults, nodes, until) => {
    await Promise.all([
      makeNodeFaults(NODE_FAULTS, faults, nodes, until),
      makeServerFaults(SERVER_FAULTS, faults, until),
    ]);
  },
  /** Every node in turn is drained and replaced, by the next version the first time. Then one is killed. */
  upgrade: async (faults, nodes, until) => {
    while (performance.now() < until) {
      for (const node of nodes) {
        await Bun.sleep(REST_OF_UPGRADES_MS);
        await faults.ofNode("node drained", node, 0);
      }
      await Bun.sleep(REST_OF_UPGRADES_MS);
      await faults.ofNode("node killed", anyOf(nodes), DEAD_MS);
    }
  },
  /** The database is away for all but the first and the last minute. */
  away: async (faults, _, until) => {
    await Bun.sleep(AROUND_OUTAGE_MS);
    await faults.ofServer("database killed", until - performance.now() - AROUND_OUTAGE_MS);
    await Bun.sleep(until - performance.now());
  },
  /** Nothing: for builds with a mistake that needs no fault. */
  calm: (_, __, until) => Bun.sleep(until - performance.now()),
} satisfies Readonly<Record<string, Plan>>;

export type PlanName = keyof typeof PLANS;

/** Makes faults of one kind, again and again. */
export function onlyFaults(kind: FaultKind): Plan {
  return (faults, nodes, until) =>
    isOfServer(kind) ? makeServerFaults([kind], faults, until) : makeNodeFaults([kind], faults, nodes, until);
}

// --- internal ---

function isOfServer(kind: FaultKind): kind is ServerFaultKind {
  return (SERVER_FAULTS as readonly FaultKind[]).includes(kind);
}

async function makeNodeFaults(
  kinds: readonly NodeFaultKind[],
  faults: Faults,
  nodes: readonly ClusterNode[],
  until: number,
): Promise<void> {
  const next = newDeck(kinds);
  while (performance.now() < until - MAX_FAULT_MS) {
    await Bun.sleep(between(REST_OF_NODES_MS));
    await faults.ofNode(next(), anyOf(nodes), duration(SHARE_OF_LONG));
  }
}

async function makeServerFaults(kinds: readonly ServerFaultKind[], faults: Faults, until: number): Promise<void> {
  const next = newDeck(kinds);
  while (performance.now() < until - MAX_FAULT_MS) {
    await Bun.sleep(between(REST_OF_SERVERS_MS));
    await faults.ofServer(next(), duration(SHARE_OF_LONG_OF_SERVERS));
  }
}

/** Returns a function that returns all items in random order, again and again. */
function newDeck<T>(items: readonly T[]): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...items].sort(() => Math.random() - 0.5);
    return left.pop() as T;
  };
}

function duration(shareOfLong: number): number {
  return between(Math.random() < shareOfLong ? LONG_MS : SHORT_MS);
}

function between({ least, most }: { readonly least: number; readonly most: number }): number {
  return least + Math.random() * (most - least);
}

function anyOf<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}
