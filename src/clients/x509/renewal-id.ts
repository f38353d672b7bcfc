import { AuthorityKeyIdentifierExtension, PemConverter, X509Certificate } from "./x509.ts";

/** Returns the certificate's identifier for renewal information: key identifier and serial (RFC 9773 section 4.1). */
export function renewalId(chain: string): string | null {
  const certificate = new X509Certificate(PemConverter.decodeFirst(chain));
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (!keyId) return null;
  // The serial as DER has it: a leading zero byte where the number would else be negative.
  const serial = /^[89a-f]/i.test(certificate.serialNumber)
    ? `00${certificate.serialNumber}`
    : certificate.serialNumber;
  return [keyId, serial].map((hex) => Buffer.from(hex, "hex").toString("base64url")).join(".");
}
