/** The outcome of a request to drain a node. `last_live`: nobody else could serve. */
export type DrainOutcome = "requested" | "unknown" | "last_live";

interface Node {
  readonly name: string;
  readonly state: "live" | "draining" | "isolated";
}

/** Decides whether the node with that name may be drained. The last live one stays. */
export function drainOutcome(nodes: readonly Node[], name: string): DrainOutcome {
  if (!nodes.some((node) => node.name === name)) return "unknown";
  const live = nodes.filter(({ state }) => state === "live");
  return live.length > 0 && live.every((node) => node.name === name) ? "last_live" : "requested";
}
