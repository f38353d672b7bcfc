import type { Failed, Silent } from "../ports/dns.ts";
import type { ProbeAnswer, ProbeFailure } from "../ports/edge.ts";

/** Where a resolved address belongs to. */
export type Place = "ours" | "edge" | "elsewhere";

/** A record that leads to this server. */
export interface RoutingTarget {
  readonly type: "A" | "AAAA" | "CNAME";
  readonly value: string;
}

/** The TXT records at the claim's name. `values` is empty when there are none. */
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

/** The addresses of the hostname. `absent`: NXDOMAIN, a name without addresses, or one whose CNAME records never end. */
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

/** What came of asking the public name for its challenge path. `returned`: the answer is the one only we can give. */
export type ProbeSeen = (ProbeAnswer & { readonly returned: boolean }) | ProbeFailure;

/** The certificate of the hostname, as far as the walk must know it. `unneeded` where none is ordered. */
export interface CertificateSeen {
  readonly state: "unneeded" | "none" | "ordering" | "ready" | "failed";
  readonly error: string | null;
  /** When an order that failed is placed again, in milliseconds since the epoch. */
  readonly nextTryAt: number | null;
}

/** The other claim that holds the same hostname verified. */
export interface HolderSeen {
  readonly proofMisses: number;
  /** Whether the TXT answer of this look holds the holder's own record. */
  readonly proofPresent: boolean;
}

/**
 * Everything one look at the outside world showed. What was not looked at is null: addresses before verification,
 * probes while the name leads elsewhere or is not routed, or when the look ran out of time before they had ended.
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
