import { BALANCED, CACHED_SITE, type Clients, type Target } from "./clients.ts";
import type { Change } from "./history.ts";

/** Sites by what happens to them. Every node changes each of them but the last. */
export const SITES = ["contended", "rolled-back", "deleted", "deleted-too", "frozen", CACHED_SITE] as const;

/** Milliseconds that each client pauses, so that the machine is busy and not overloaded. */
const CHANGE_PAUSE_MS = 150;
const VISIT_PAUSE_MS = 12;
const BALANCED_VISITORS = 3;
/** A deployment of a site that is activated again is one of this many newest. */
const ROLLED_BACK = 10;

interface Load {
  /** Resolves when every request has ended. */
  stop(): Promise<void>;
}

/** Changes and visits the sites through all nodes until it is stopped. */
export function startLoad(clients: Clients, nodes: readonly Target[]): Load {
  let isStopped = false;
  const probes = new Set<Promise<unknown>>();
  const anyNode = () => nodes[Math.floor(Math.random() * nodes.length)] as Target;

  /** Every node is asked as soon as a change was answered, because then it must show it. */
  const probed = async (changing: Promise<Change>): Promise<Change> => {
    const change = await changing;
    for (const node of nodes) {
      const probe = clients.visit(node, change.site, "/").finally(() => probes.delete(probe));
      probes.add(probe);
    }
    return change;
  };
  const repeat = async (pause: number, step: () => Promise<unknown>): Promise<void> => {
    while (!isStopped) {
      await step();
      await Bun.sleep(pause * 2 * Math.random());
    }
  };

  const rollBack = newRollBack(clients, anyNode, probed);
  const deleteAndDeploy = (site: string) => async () => {
    const deployments = 1 + Math.floor(Math.random() * 3);
    for (let count = 0; count < deployments; count++) await probed(clients.deploy(anyNode(), site));
    await probed(clients.delete(anyNode(), site));
  };
  const freezeAndThaw = async () => {
    await probed(clients.deploy(anyNode(), "frozen"));
    await probed(clients.freeze(anyNode(), "frozen"));
    await probed(clients.unfreeze(anyNode(), "frozen"));
  };
  const visitAny = (to: Target) => () => clients.visit(to, SITES[Math.floor(Math.random() * SITES.length)] as string);

  const working = [
    ...nodes.map((node) => repeat(CHANGE_PAUSE_MS, () => probed(clients.deploy(node, "contended")))),
    ...[rollBack, rollBack].map((step) => repeat(CHANGE_PAUSE_MS, step)),
    repeat(CHANGE_PAUSE_MS, deleteAndDeploy("deleted")),
    repeat(CHANGE_PAUSE_MS, deleteAndDeploy("deleted-too")),
    repeat(CHANGE_PAUSE_MS, freezeAndThaw),
    ...[...nodes, ...Array(BALANCED_VISITORS).fill(BALANCED)].map((to) => repeat(VISIT_PAUSE_MS, visitAny(to))),
  ];
  return {
    async stop() {
      isStopped = true;
      await Promise.all(working);
      await Promise.all(probes);
    },
  };
}

// --- internal ---

/** Deploys, or activates one of the newest deployments again. */
function newRollBack(
  clients: Clients,
  anyNode: () => Target,
  probed: (changing: Promise<Change>) => Promise<Change>,
): () => Promise<void> {
  const made: Change[] = [];
  return async () => {
    const earlier = made[Math.floor(Math.random() * made.length)];
    if (earlier && Math.random() < 0.6) return void (await probed(clients.activate(anyNode(), earlier)));
    const deployed = await probed(clients.deploy(anyNode(), "rolled-back"));
    if (deployed.outcome !== "done") return;
    made.push(deployed);
    if (made.length > ROLLED_BACK) made.shift();
  };
}
