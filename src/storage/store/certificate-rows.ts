import { isSameCertificate } from "../../domain/certificates/wanted.ts";
import { type ManagedCertificate, NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import type { WantedCertificate } from "../../domain/ports/store/certificates.ts";

/** Key of `meta` for the number of changed requests. */
export const REQUESTS = "certificates_wishes";
/** Key of `meta` for the revision of the set of certificates. */
export const REVISION = "certificates_revision";
/** Key of `meta` for the revision that every listener presents. */
export const LIVE = "certificates_live";
/** Key of `meta` for whether certificates of claims are ordered. */
export const ORDERING = "certificates_ordering";

type CertificateRow = Omit<ManagedCertificate, "live"> & { readonly revision: number };

/** Returns the fields of a row that the request determines. */
export function requestOf({ identifiers, challenge, origin }: WantedCertificate) {
  return { identifiers: [...identifiers], challenge, origin };
}

/**
 * Returns the changed fields of a row for another request under the same subject. The certificate stays until a new one
 * arrives.
 */
export function refiled(known: CertificateRow, wanted: WantedCertificate) {
  if (isSameCertificate(known, wanted)) return { origin: wanted.origin };
  return { ...requestOf(wanted), attempts: NO_ATTEMPTS, pending: null, renewal: null };
}

/** Converts a row for the domain; `live` is the revision that every listener presents. */
export function toManaged({ revision, ...row }: CertificateRow, live: number): ManagedCertificate {
  return { ...row, live: row.current !== null && revision <= live };
}
