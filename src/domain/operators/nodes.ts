import { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import { drainOutcome } from "../model/drain.ts";
import { requireOperator } from "../model/operator.ts";
import type { NodeDirectory, NodeStatus } from "../ports/store/nodes.ts";

interface NodePorts {
  readonly store: { readonly nodes: Pick<NodeDirectory, "list" | "requestDrain"> | null };
}

/**
 * Returns the nodes of the cluster by name; none for a server whose metadata is in its data folder. Throws `forbidden`
 * unless the caller is an operator.
 */
export async function listNodes({ store }: NodePorts, caller: Caller): Promise<readonly NodeStatus[]> {
  requireOperator(caller);
  return (await store.nodes?.list()) ?? [];
}

/** Like `requestDrain`. Throws `forbidden` unless the caller is an operator. */
export async function drainNode(ports: NodePorts, caller: Caller, name: string): Promise<NodeStatus> {
  requireOperator(caller);
  return requestDrain(ports, name);
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
  const expected = drainOutcome((await store.nodes?.list()) ?? [], name);
  if (expected === "requested") await record();
  const outcome = (await store.nodes?.requestDrain(name)) ?? "unknown";
  if (outcome === "last_live") {
    throw new DomainError(
      "conflict",
      `no node but ${name} is live: start another one first, or stop ${name} where it runs`,
    );
  }
  const node = outcome === "requested" ? (await store.nodes?.list())?.find((known) => known.name === name) : undefined;
  if (node === undefined) throw new DomainError("not_found", `there is no node called ${name}`);
  return node;
}
