import type { ObservedMode } from "../model/claim.ts";
import type { Failed, Silent } from "../ports/dns.ts";
import type { ProbeFailure, ProbeResponse } from "../ports/edge.ts";

/** The owner of an address: this server, the edge, or another server. */
export type Place = "ours" | "edge" | "elsewhere";

/** A record that resolves to this server. */
export interface RoutingTarget {
  readonly type: "A" | "AAAA" | "CNAME";
  readonly value: string;
}

/** The TXT records of the claim. `values` is empty when there are none. */
export type ProofSeen =
  | {
      readonly kind: "answered";
      readonly resolver: string;
      readonly values: readonly string[];
      readonly why: string | null;
    }
  | Failed
  | Silent;

export interface PlacedAddress {
  readonly address: string;
  readonly place: Place;
}

/** The addresses of the hostname. `absent`: NXDOMAIN, no address records, or an endless chain of CNAME records. */
export type AddressesSeen =
  | {
      readonly kind: "addresses";
      readonly resolver: string;
      readonly addresses: readonly PlacedAddress[];
      readonly aliases: readonly string[];
    }
  | {
      readonly kind: "absent";
      readonly resolver: string;
      readonly why: "NXDOMAIN" | "no data" | "CNAME chain";
      readonly aliases: readonly string[];
    }
  | Failed
  | Silent;

/** The result of a request for the challenge path. `returned`: the response is the one that only this server knows. */
export type ProbeSeen = (ProbeResponse & { readonly returned: boolean }) | ProbeFailure;

/** The state of the hostname's certificate. `unneeded` if this server orders none. */
export interface CertificateSeen {
  readonly state: "unneeded" | "none" | "ordering" | "ready" | "failed";
  readonly error: string | null;
  /** When an order that failed is placed again, in milliseconds since the epoch. */
  readonly nextTryAt: number | null;
}

/** The other claim that holds the same hostname verified. */
export interface HolderSeen {
  readonly proofMisses: number;
  /** True if the TXT response of this check contains the holder's record. */
  readonly proofPresent: boolean;
}

/**
 * The results of one check. Null means not checked: addresses before verification, probes while the hostname resolves
 * elsewhere or is not routed, or after the time limit.
 */
export interface Observation {
  readonly proof: ProofSeen;
  readonly proven: boolean;
  readonly holder: HolderSeen | null;
  readonly addresses: AddressesSeen | null;
  readonly http: ProbeSeen | null;
  readonly https: ProbeSeen | null;
  readonly certificate: CertificateSeen;
  /** The `www` or registered domain that is not claimed for the site; see `counterpart`. */
  readonly unclaimedCounterpart: string | null;
}

/**
 * Classifies addresses. The server's own addresses take precedence, because the server may itself be within the edge's
 * ranges. A CNAME to a routing target counts as this server's, whatever that target resolves to, except the edge.
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

export function observedMode(seen: AddressesSeen): ObservedMode {
  if (seen.kind !== "addresses") return "unavailable";
  const places = new Set(seen.addresses.map(({ place }) => place));
  if (places.has("elsewhere")) return "unsupported";
  if (places.size === 2) return "mixed";
  return places.has("edge") ? "proxy" : "direct";
}

/**
 * Returns whether any address belongs to this server. An edge also serves other customers, so its addresses count only
 * while a probe of the hostname reaches this server.
 */
export function leadsHere(seen: AddressesSeen, cameBack: boolean): boolean {
  if (seen.kind !== "addresses") return false;
  return seen.addresses.some(({ place }) => place === "ours" || (place === "edge" && cameBack));
}
