/**
 * What is known about the certificate of a hostname.
 * `none`: nothing was asked for. `ordering`: asked for, no certificate yet. `ready`: every listener presents a valid one,
 * also while a renewal fails. `failed`: there is no valid one and the last order failed; it is tried again at `nextTryAt`.
 */
export type CertificateState = "none" | "ordering" | "ready" | "failed";

export interface CertificateStatus {
  readonly state: CertificateState;
  /** Why the last order failed, as a sentence for the owner; null when it did not fail. Also set on `ready` when a renewal failed. */
  readonly error: string | null;
  /** When the certificate in force ends, in milliseconds since the epoch; null without one. */
  readonly notAfter: number | null;
  /** When the next order or renewal is due, in milliseconds since the epoch; null when none is planned. */
  readonly nextTryAt: number | null;
}

/** How this server comes by certificates for claimed hostnames. */
export interface CertificateAutomation {
  /** Whether certificates are ordered at all: with TLS `acme` only. */
  readonly enabled: boolean;
  /** The address of the first ACME directory whose account is usable, else of the first; null when nothing is ordered. */
  readonly issuer: string | null;
  /** The challenge that claimed hostnames are validated by. */
  readonly challenge: "http-01" | "dns-01" | null;
  /** Whether orders can be placed now: an ACME account is usable. True when nothing is ordered. */
  readonly ready: boolean;
}

/**
 * The certificates of claimed hostnames. Callers ask and look; orders, renewals, retries and rotation of the listeners
 * are the implementation's own business. With TLS other than `acme` nothing is ordered and every status is `none`, yet
 * what was ordered before is released.
 */
export interface Certificates {
  /** Returns what the capability shows about automatic certificates. */
  automation(): Promise<CertificateAutomation>;

  /**
   * Notes durably that the hostname wants a certificate, and returns without waiting for the order. The caller has seen
   * its own probe of the hostname come back. Idempotent: a hostname that has or awaits one causes no second order,
   * and a failed one keeps its ladder of retries, so that repeating the request never burns the CA's limits.
   */
  request(hostname: string): Promise<void>;

  /** Returns what is known now; `none` for a hostname that was never asked for or was released. */
  status(hostname: string): Promise<CertificateStatus>;

  /**
   * Forgets certificate, key, orders and retries of the hostname, except what a CA counts or asked for; its listeners fall
   * back within a minute. Unknown is no error.
   */
  release(hostname: string): Promise<void>;
}
