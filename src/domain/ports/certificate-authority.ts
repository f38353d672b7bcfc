import type { Certificate, ChallengeType, Failure, PlacedOrder, RenewalInfo } from "../model/certificate.ts";

export interface CertificateRequest {
  readonly identifiers: readonly string[];
  readonly challenge: ChallengeType;
  /** An unfinished order at this CA, which is resumed if possible. */
  readonly pending: PlacedOrder | null;
  /** The certificate to replace, if this CA issued it: renewals that it suggested are exempt from its limits. */
  readonly replaces: string | null;
  /** Called after a new order was placed, before any further request to the CA. */
  placed(order: PlacedOrder): Promise<void>;
}

/** The only error that authorities throw. */
export class CertificateFailure extends Error {
  override readonly name = "CertificateFailure";

  constructor(readonly failure: Failure) {
    super(failure.error);
  }
}

/** A CA: an ACME server, or the server's local CA. */
export interface CertificateAuthority {
  /** The URL of the ACME directory, or `internal`. The key of certificates and accounts. */
  readonly directory: string;

  /** Ensures that orders can be placed: creates the account. Cheap if it exists. Throws CertificateFailure. */
  prepare(): Promise<void>;

  /** Obtains a certificate, which takes up to a few minutes. Throws CertificateFailure. */
  obtain(request: CertificateRequest): Promise<Certificate>;

  /** Returns the CA's renewal information (RFC 9773). Throws CertificateFailure. */
  renewalInfo(certificate: Certificate): Promise<RenewalInfo>;
}

/** Probes a name like a CA, so that hopeless orders are not placed. */
export interface ChallengeProbe {
  /** Returns null if a published challenge is found under the name, otherwise an error message. */
  probe(identifier: string, challenge: ChallengeType): Promise<string | null>;
}
