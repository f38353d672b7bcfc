import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Certificate } from "../../domain/certificates/certificate.ts";

/**
 * Reads a PEM chain, the leaf first, with its private key. Throws with one sentence that says what does not fit: no
 * certificate, a damaged one behind it, no key, a key of another certificate.
 */
export function readCertificate(chain: string, key: string, authority: string): Certificate {
  const leaf = attempt("the certificate is not in PEM form", () => new X509Certificate(chain));
  for (const [index, pem] of blocksOf(chain).entries()) {
    attempt(`the certificate number ${index + 1} of the chain is damaged`, () => new X509Certificate(pem));
  }
  const privateKey = attempt("the private key is not in PEM form, or is encrypted", () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(privateKey)) throw new Error("the private key belongs to another certificate");
  return {
    names: namesOf(leaf),
    chain,
    key,
    notBefore: Date.parse(leaf.validFrom),
    notAfter: Date.parse(leaf.validTo),
    authority,
    renewalId: null,
  };
}

// --- internal ---

const CERTIFICATE = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

/**
 * The leaf alone is read as one certificate; the listener reads them all, and fails where one cannot be read. A file
 * may hold the key as well, before them or after.
 */
function blocksOf(chain: string): string[] {
  return chain.split(/^(?=-----BEGIN )/m).filter((part) => CERTIFICATE.test(part));
}

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
