/** How the CA is shown that we hold a name (RFC 8555 section 8). */
export type ChallengeType = "http-01" | "dns-01";

/** What stands in the place of a directory for the server's own local CA. */
export const LOCAL = "internal";

/** A certificate with its private key, as the listeners present it. */
export interface Certificate {
  /** The names it is good for, lower case. */
  readonly names: readonly string[];
  /** PEM, the leaf first. */
  readonly chain: string;
  /** PEM, PKCS #8. */
  readonly key: string;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The directory of the CA that issued it, or `internal`. */
  readonly authority: string;
  /** Its identifier for the CA's renewal information (RFC 9773 section 4.1), or null when it carries none. */
  readonly renewalId: string | null;
}

/** When the CA would like a certificate to be renewed (RFC 9773 section 4.2). */
export interface RenewalWindow {
  readonly start: number;
  readonly end: number;
}

/** What the CA said about renewal; `window` is null when it says nothing. */
export interface RenewalInfo {
  readonly window: RenewalWindow | null;
  /** When to ask again. */
  readonly nextLookAt: number;
}

/** An order that stands with a CA. */
export interface PlacedOrder {
  readonly authority: string;
  readonly url: string;
  /** The private key that the order is finalized with; kept, because the CA may have signed for it already. */
  readonly key: string;
}

/** One whose certificate has not arrived: it is resumed after a restart, never placed again. */
export interface PendingOrder extends PlacedOrder {
  /** By our own clock, which may have been wrong. */
  readonly placedAt: number;
}

/** How the attempts to come by a certificate went since the last one that succeeded. */
export interface Attempts {
  /** Failures in a row: how far up the ladder of waits we are. */
  readonly failures: number;
  /** Those of them that were a CA's answer or silence: three move on to the next CA. */
  readonly refusals: number;
  /** When validations failed at a CA, oldest first; entries older than an hour are dropped. */
  readonly failedValidations: readonly number[];
  readonly lastAt: number | null;
  /** Milliseconds to wait after `lastAt`. */
  readonly wait: number;
  /** Until when each CA asked to be left alone (`Retry-After`), by directory. */
  readonly blockedUntil: Readonly<Record<string, number>>;
  /** When a CA was last asked although our own probe had failed. */
  readonly unprobedAt: number | null;
  /** Why the last attempt failed, as a sentence for the owner; null when it did not. */
  readonly error: string | null;
}

export const NO_ATTEMPTS: Attempts = {
  failures: 0,
  refusals: 0,
  failedValidations: [],
  lastAt: null,
  wait: 0,
  blockedUntil: {},
  unprobedAt: null,
  error: null,
};

/** A certificate this server wants to hold, and what became of it so far. */
export interface ManagedCertificate {
  /** The name it is filed under: the first of its identifiers. */
  readonly subject: string;
  /** Lower-case DNS names; one may begin with `*.`. */
  readonly identifiers: readonly string[];
  readonly challenge: ChallengeType;
  /** Who wants it: the server for its own hosts, or a claim of a hostname. */
  readonly origin: "appliance" | "claim";
  readonly attempts: Attempts;
  readonly pending: PendingOrder | null;
  readonly current: Certificate | null;
  /**
   * When `current` was ordered, by our own clock, which may have been wrong. For how long it lay with the CA until its
   * order was resumed says nothing about our clock.
   */
  readonly orderedAt: number | null;
  readonly renewal: RenewalInfo | null;
  /** Whether every listener presents `current`. */
  readonly live: boolean;
}

/** Returns whether one name of a certificate matches the hostname (RFC 9525: `*` stands for one whole first label). */
function nameMatches(name: string, hostname: string): boolean {
  if (!name.startsWith("*.")) return name === hostname;
  const dot = hostname.indexOf(".");
  return dot > 0 && hostname.slice(dot) === name.slice(1);
}

/** Returns whether a certificate with these names is good for the hostname (lower case, no trailing dot). */
export function covers(names: readonly string[], hostname: string): boolean {
  return names.some((name) => nameMatches(name, hostname));
}

/**
 * Returns the certificate to rely on for a hostname, or null. A name of its own goes before a wildcard, as in the
 * listener's own choice; among equals the one that ends last.
 */
export function certificateFor<C extends Pick<Certificate, "names" | "notAfter">>(
  hostname: string,
  certificates: readonly C[],
): C | null {
  const rank = (one: C) => (one.names.includes(hostname) ? 1 : 0);
  return certificates.reduce<C | null>((best, one) => {
    if (!covers(one.names, hostname)) return best;
    if (best === null || rank(one) > rank(best)) return one;
    return rank(one) === rank(best) && one.notAfter > best.notAfter ? one : best;
  }, null);
}

/**
 * Returns whether a certificate has ended. One that has not begun yet counts as good: CAs do not date ahead, so it is
 * our clock that is behind, and visitors' clocks decide for themselves.
 */
export function hasExpired(certificate: Certificate, now: number): boolean {
  return certificate.notAfter <= now;
}
