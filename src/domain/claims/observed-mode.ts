import type { ObservedMode } from "./claim.ts";
import type { AddressesSeen, Place, PlacedAddress, RoutingTarget } from "./observation.ts";

/**
 * Returns where each address belongs to. Our own addresses come first, because a server may itself stand in the
 * edge's ranges. A name whose CNAME leads to a routing target is ours wherever that target leads, except to the edge.
 */
export function placeAddresses(
  addresses: readonly string[],
  aliases: readonly string[],
  targets: readonly RoutingTarget[],
  coveredByEdge: (address: string) => boolean,
): PlacedAddress[] {
  const ours = new Set(targets.filter(({ type }) => type !== "CNAME").map(({ value }) => value));
  const aliasOfOurs = targets.some(({ type, value }) => type === "CNAME" && aliases.includes(value));
  const placeOf = (address: string): Place => {
    if (ours.has(address)) return "ours";
    if (coveredByEdge(address)) return "edge";
    return aliasOfOurs ? "ours" : "elsewhere";
  };
  return addresses.map((address) => ({ address, place: placeOf(address) }));
}

/** Returns the mode that the addresses amount to. */
export function observedMode(seen: AddressesSeen): ObservedMode {
  if (seen.kind !== "addresses") return "unavailable";
  const places = new Set(seen.addresses.map(({ place }) => place));
  if (places.has("elsewhere")) return "unsupported";
  if (places.size === 2) return "mixed";
  return places.has("edge") ? "proxy" : "direct";
}

/**
 * Whether the name leads here at all, be it in part. An edge stands in front of many others as well: its addresses lead
 * here only while a probe of the name comes back.
 */
export function leadsHere(seen: AddressesSeen, cameBack: boolean): boolean {
  if (seen.kind !== "addresses") return false;
  return seen.addresses.some(({ place }) => place === "ours" || (place === "edge" && cameBack));
}
