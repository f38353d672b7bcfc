import type { ClusterNode } from "../../api/types.ts";
import { count } from "../../format.ts";

/** Returns how far the visitors of a node are behind those of the node that is ahead of all. */
export function lagText(node: ClusterNode, nodes: readonly ClusterNode[]): string {
  const lag = Math.max(...nodes.map(({ applied }) => applied)) - node.applied;
  return lag === 0 ? "Up to date" : `${count(lag, "change")} behind`;
}

/** Returns whether a change of state is to be expected within seconds. */
export function isChanging(nodes: readonly ClusterNode[]): boolean {
  return nodes.some(({ state }) => state === "draining");
}

/** `2 live, 1 isolated`. */
export function statesText(nodes: readonly ClusterNode[]): string {
  return (["live", "draining", "isolated"] as const)
    .map((state) => [nodes.filter((node) => node.state === state).length, state] as const)
    .filter(([number]) => number > 0)
    .map(([number, state]) => `${number} ${state}`)
    .join(", ");
}
