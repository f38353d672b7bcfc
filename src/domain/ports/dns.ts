/** The types of records that are looked up. CNAME records are followed. */
export type RecordType = "TXT" | "A" | "AAAA";

/**
 * The response for a name and type. `nxdomain`: the name does not exist. `nodata`: it exists without such a
 * record. `chain`: its CNAME records form a loop or are too many. `failed`: an error
 * such as SERVFAIL. `silent`: no resolver answered.
 */
export type DnsResponse = Records | Absent | Failed | Silent;

interface Records {
  readonly kind: "records";
  readonly resolver: string;
  /** TXT: character strings concatenated, as UTF-8. Addresses: canonical text (RFC 5952). */
  readonly values: readonly string[];
  /** The targets of the followed CNAME records, in lower case. */
  readonly aliases: readonly string[];
  /** True if there may be more: the answer was truncated, also over TCP. */
  readonly partial: boolean;
}

export interface Absent {
  readonly kind: "nxdomain" | "nodata" | "chain";
  readonly resolver: string;
  /** Like in `Records`; for a loop including the repeated name. */
  readonly aliases: readonly string[];
}

export interface Failed {
  readonly kind: "failed";
  readonly resolver: string;
  /** The error, such as `SERVFAIL`. */
  readonly reason: string;
}

export interface Silent {
  readonly kind: "silent";
  /** The queried resolvers. */
  readonly resolver: string;
  readonly reason: string;
}

/** Returns whether the result is a failure or silence, so that nothing is known about the name. */
export function isUnknown(seen: { readonly kind: string }): seen is Failed | Silent {
  return seen.kind === "failed" || seen.kind === "silent";
}

/** Looks up names at the configured resolvers, in order, until one answers. */
export interface Dns {
  /** Never rejects because of a resolver; an aborted look-up is `silent`. */
  lookup(name: string, type: RecordType, signal: AbortSignal): Promise<DnsResponse>;
}
