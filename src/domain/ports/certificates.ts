/**
 * The state of a hostname's certificate.
 * `none`: not requested. `ordering`: requested, no certificate yet. `ready`: every listener presents a valid one,
 * also while a renewal fails. `failed`: there is no valid one and the last order failed; it is retried at `nextTryAt`.
 */
type CertificateState = "none" | "ordering" | "ready" | "failed";

export interface CertificateStatus {
  readonly state: CertificateState;
  /** Why the last order failed, as a message for the owner; otherwise null. Also set on `ready` if a renewal failed. */
  readonly error: string | null;
  /** Expiry of the current certificate, in milliseconds since the epoch; null without one. */
  readonly notAfter: number | null;
  /** The directory of the CA that issued the current certificate, or `internal`; null without one. */
  readonly issuer: string | null;
  /** When the next order or renewal is due, in milliseconds since the epoch; null if none is planned. */
  readonly nextTryAt: number | null;
}

/** The state of automatic certificates for claimed hostnames. */
export interface CertificateAutomation {
  /** True if certificates are ordered: with TLS `acme` only. */
  readonly enabled: boolean;
  /** The URL of the first ACME directory with a usable account, otherwise of the first; null if nothing is ordered. */
  readonly issuer: string | null;
  /** The challenge type for claimed hostnames. */
  readonly challenge: "http-01" | "dns-01" | null;
  /** True if orders can be placed now: an ACME account is usable. True if nothing is ordered. */
  readonly ready: boolean;
}

/**
 * The certificates of claimed hostnames. Orders, renewals, retries and the rotation of listeners
 * are up to the implementation. With TLS other than `acme` nothing is ordered and every status is `none`, but
 * certificates that were ordered before can be released.
 */
export interface Certificates {
  /** Returns the state of automatic certificates for the capability. */
  automation(): Promise<CertificateAutomation>;

  /**
   * Records durably that the hostname needs a certificate, and returns without waiting for the order. The caller has
   * probed the hostname successfully. Idempotent: a hostname that has or awaits one causes no second order,
   * and a failed one keeps its backoff, so that repeated requests do not exhaust the CA's limits.
   */
  request(hostname: string): Promise<void>;

  /** Returns the current state; `none` for a hostname that was never requested or was released. */
  status(hostname: string): Promise<CertificateStatus>;

  /**
   * Deletes certificate, key, orders and retries of the hostname, except the limits of CAs. Listeners stop presenting
   * it within a minute. Idempotent.
   */
  release(hostname: string): Promise<void>;
}
