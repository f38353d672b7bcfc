/** The type of validation (RFC 8555 section 8). */
export type ChallengeType = "http-01" | "dns-01";

/** Identifies the server's local CA in place of a directory URL. */
export const LOCAL = "internal";

/** A certificate with its private key. */
export interface Certificate {
  /** Its names, lower case. */
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

/** The suggested renewal window (RFC 9773 section 4.2). */
export interface RenewalWindow {
  readonly start: number;
  readonly end: number;
}

/** The CA's renewal information; `window` is null if it has none. */
export interface RenewalInfo {
  readonly window: RenewalWindow | null;
  /** When to request it again. */
  readonly nextLookAt: number;
}

/** An order that was placed with a CA. */
export interface PlacedOrder {
  readonly authority: string;
  readonly url: string;
  /** The private key of the order. It is stored, because the CA may have issued a certificate for it already. */
  readonly key: string;
}

/** An unfinished order. It is resumed after a restart, not placed again. */
export interface PendingOrder extends PlacedOrder {
  /** By the local clock, which may have been wrong. */
  readonly placedAt: number;
}

/** The attempts to obtain a certificate since the last success. */
export interface Attempts {
  /** Consecutive failures; determines the backoff. */
  readonly failures: number;
  /** Those caused by the current CA: three of them move on to the next CA. */
  readonly refusals: number;
  /** Times of failed validations within the last hour, oldest first. */
  readonly failedValidations: readonly number[];
  readonly lastAt: number | null;
  /** Milliseconds to wait after `lastAt`. */
  readonly wait: number;
  /** Until when each CA must not be contacted (`Retry-After`), by directory. */
  readonly blockedUntil: Readonly<Record<string, number>>;
  /** When a CA was last tried although the probe had failed. */
  readonly unprobedAt: number | null;
  /** Why the last attempt failed, as a message for the owner; null if it succeeded. */
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

/** A wanted certificate and its current state. */
export interface ManagedCertificate {
  /** Its key: the first of its identifiers. */
  readonly subject: string;
  /** Lower-case DNS names; one may begin with `*.`. */
  readonly identifiers: readonly string[];
  readonly challenge: ChallengeType;
  /** The origin of the request: the server for its own hosts, or a claim of a hostname. */
  readonly origin: "appliance" | "claim";
  readonly attempts: Attempts;
  readonly pending: PendingOrder | null;
  readonly current: Certificate | null;
  /**
   * When `current` was ordered, by the local clock, which may have been wrong. It excludes the time until an interrupted
   * order was resumed.
   */
  readonly orderedAt: number | null;
  readonly renewal: RenewalInfo | null;
  /** True if every listener presents `current`. */
  readonly live: boolean;
}

/** A certificate that is presented, by the name that it is wanted for. */
export type PresentedCertificate = Pick<Certificate, "notAfter"> & { readonly name: string };

/** Returns whether a name of a certificate matches the hostname (RFC 9525: `*` matches one whole first label). */
function nameMatches(name: string, hostname: string): boolean {
  if (!name.startsWith("*.")) return name === hostname;
  const dot = hostname.indexOf(".");
  return dot > 0 && hostname.slice(dot) === name.slice(1);
}

/** Returns whether a certificate with these names is valid for the hostname (lower case, no trailing dot). */
export function covers(names: readonly string[], hostname: string): boolean {
  return names.some((name) => nameMatches(name, hostname));
}

/**
 * Returns the certificate for a hostname, or null. An exact name takes precedence over a wildcard, as in the
 * listener; otherwise the one that expires last.
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
 * Returns whether a certificate has expired. One that is not valid yet counts as valid: CAs do not post-date, so the
 * local clock must be behind, and visitors have their own clocks.
 */
export function hasExpired(certificate: Certificate, now: number): boolean {
  return certificate.notAfter <= now;
}

/**
 * The reason why an attempt failed. `probe`: the probe failed and no CA was contacted. `validation`: the CA's
 * validation failed. `refused`: the CA refused for another reason. `undecided`: no result within minutes.
 * `unreachable`: no valid response. After the last two the order continues.
 */
export interface Failure {
  readonly kind: "probe" | "validation" | "refused" | "undecided" | "unreachable";
  readonly error: string;
  /** The directory of the CA; null for `probe`. */
  readonly authority: string | null;
  /** The CA's Retry-After in milliseconds. */
  readonly retryAfter: number | null;
}
