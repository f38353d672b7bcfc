import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Certificate } from "../../domain/certificates/certificate.ts";
import { AuthorityKeyIdentifierExtension, X509Certificate as ParsedCertificate, PemConverter } from "./x509.ts";

/**
 * Reads a PEM chain, the leaf first, with its private key. Throws with one sentence that says what does not fit: no
 * certificate, no key, a key of another certificate.
 */
export function readCertificate(chain: string, key: string, authority: string): Certificate {
  const leaf = attempt("the certificate is not in PEM form", () => new X509Certificate(chain));
  const privateKey = attempt("the private key is not in PEM form, or is encrypted", () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(privateKey)) throw new Error("the private key belongs to another certificate");
  return {
    names: namesOf(leaf),
    chain,
    key,
    notBefore: Date.parse(leaf.validFrom),
    notAfter: Date.parse(leaf.validTo),
    authority,
    renewalId: renewalId(chain),
  };
}

/** Returns the certificate's identifier for renewal information: key identifier and serial (RFC 9773 section 4.1). */
export function renewalId(chain: string): string | null {
  const certificate = new ParsedCertificate(PemConverter.decodeFirst(chain));
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (!keyId) return null;
  // The serial as DER has it: a leading zero byte where the number would else be negative.
  const serial = /^[89a-f]/i.test(certificate.serialNumber)
    ? `00${certificate.serialNumber}`
    : certificate.serialNumber;
  return [keyId, serial].map((hex) => Buffer.from(hex, "hex").toString("base64url")).join(".");
}

// --- internal ---

function namesOf(leaf: X509Certificate): string[] {
  const alternatives = (leaf.subjectAltName ?? "").split(", ").filter((entry) => entry.startsWith("DNS:"));
  return alternatives.map((entry) => entry.slice("DNS:".length).toLowerCase());
}

function attempt<T>(complaint: string, action: () => T): T {
  try {
    return action();
  } catch {
    throw new Error(complaint);
  }
}
