import { DomainError } from "../errors.ts";
import { drainOutcome } from "../model/drain.ts";
import type { NodeDirectory, NodeStatus } from "../ports/store/nodes.ts";

interface NodePorts {
  readonly store: { readonly nodes: Pick<NodeDirectory, "list" | "requestDrain"> | null };
}

/**
 * Requests that a node stop: it takes no new visits, finishes its requests, and ends. Returns its status without waiting.
 * `record` is called before, unless the request is refused. Throws `not_found`, and `conflict` for the last live node.
 */
export async function requestDrain(
  { store }: NodePorts,
  name: string,
  record: () => Promise<void> = async () => {},
): Promise<NodeStatus> {
  const nodes = (await store.nodes?.list()) ?? [];
  if (drainOutcome(nodes, name) === "requested") await record();
  const outcome = (await store.nodes?.requestDrain(name)) ?? "unknown";
  if (outcome === "last_live") {
    throw new DomainError(
      "conflict",
      `no node but ${name} is live: start another one first, or stop ${name} where it runs`,
    );
  }
  const node = nodes.find((known) => known.name === name);
  if (outcome === "unknown" || node === undefined) {
    throw new DomainError("not_found", `there is no node called ${name}`);
  }
  return node.state === "isolated" ? node : { ...node, state: "draining" };
}
