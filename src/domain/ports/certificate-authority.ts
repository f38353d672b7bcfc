import type { Failure } from "../certificates/attempts.ts";
import type { Certificate, ChallengeType, PlacedOrder, RenewalInfo } from "../certificates/certificate.ts";

export interface CertificateRequest {
  readonly identifiers: readonly string[];
  readonly challenge: ChallengeType;
  /** An order of this CA that was placed before and whose certificate never arrived: it is resumed if it can be. */
  readonly pending: PlacedOrder | null;
  /** The certificate to be replaced, where this CA issued it: renewals it asked for are exempt from its limits. */
  readonly replaces: string | null;
  /** Called once a new order stands, before anything else is asked of the CA; the certificate is awaited afterwards. */
  placed(order: PlacedOrder): Promise<void>;
}

/** Why no certificate came. Everything an authority rejects with is one of these. */
export class CertificateFailure extends Error {
  override readonly name = "CertificateFailure";

  constructor(readonly failure: Failure) {
    super(failure.error);
  }
}

/** Someone who signs certificates: an ACME server, or the server's own local CA. */
export interface CertificateAuthority {
  /** The URL of the ACME directory, or `internal`. Certificates and accounts are filed under it. */
  readonly directory: string;

  /** Makes sure that orders can be placed: the account exists. Cheap once it does. Rejects with CertificateFailure. */
  prepare(): Promise<void>;

  /** Obtains a certificate; takes up to a few minutes. Rejects with CertificateFailure. */
  obtain(request: CertificateRequest): Promise<Certificate>;

  /** Returns when the CA wants the certificate renewed (RFC 9773). Rejects with CertificateFailure. */
  renewalInfo(certificate: Certificate): Promise<RenewalInfo>;
}

/** Our own look at a name the way a CA will look, so that hopeless orders are not placed. */
export interface ChallengeProbe {
  /** Returns null when a challenge published here is found under the name, else what went wrong, as a sentence. */
  probe(identifier: string, challenge: ChallengeType): Promise<string | null>;
}
