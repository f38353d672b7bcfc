/** CNAME records are not asked for: they are followed. */
export type RecordType = "TXT" | "A" | "AAAA";

/**
 * What a resolver said about a name and type. `nxdomain`: the name does not exist. `nodata`: it exists without such a
 * record. `chain`: its CNAME records lead in a circle, or on for longer than they are followed. `failed`: an answer
 * that says nothing of the name, such as SERVFAIL. `silent`: no resolver answered.
 */
export type DnsAnswer = Records | Absent | Failed | Silent;

export interface Records {
  readonly kind: "records";
  readonly resolver: string;
  /** TXT: character strings concatenated, as UTF-8. Addresses: canonical text (RFC 5952). */
  readonly values: readonly string[];
  /** The names that CNAME records led over, in lower case, without the name asked for. */
  readonly aliases: readonly string[];
  /** Whether there may be more: the answer was cut off, and could not be had whole. */
  readonly partial: boolean;
}

export interface Absent {
  readonly kind: "nxdomain" | "nodata" | "chain";
  readonly resolver: string;
  /** As in `Records`; of a circle also the name that closes it. */
  readonly aliases: readonly string[];
}

export interface Failed {
  readonly kind: "failed";
  readonly resolver: string;
  /** What was wrong with the answer, such as `SERVFAIL`. */
  readonly reason: string;
}

export interface Silent {
  readonly kind: "silent";
  /** The resolvers asked. */
  readonly resolver: string;
  readonly reason: string;
}

/** Whether what was seen is a failure or silence, which say nothing of the name. */
export function isUnknown(seen: { readonly kind: string }): seen is Failed | Silent {
  return seen.kind === "failed" || seen.kind === "silent";
}

/** Looks names up at the configured resolvers, in their order until one answers. */
export interface Dns {
  /** Never rejects because of what a resolver says or does not say; an aborted look-up is `silent`. */
  lookup(name: string, type: RecordType, signal: AbortSignal): Promise<DnsAnswer>;
}
