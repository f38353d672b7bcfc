import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import type { Certificate } from "../../domain/model/certificate.ts";

/**
 * Reads a PEM chain, leaf first, with its private key. Throws an error with the problem: no
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

/** The files of the operator's certificate. */
export interface CertificateFiles {
  readonly chain: string;
  readonly key: string;
}

/** Reads the operator's certificate and key. Throws an error that names the file and the problem. */
export function readManualCertificate(files: CertificateFiles): Certificate {
  const [chain, key] = [read("--tls-cert", files.chain), read("--tls-key", files.key)];
  try {
    return readCertificate(chain, key, "manual");
  } catch (error) {
    throw new Error(`--tls-cert ${files.chain} with --tls-key ${files.key}: ${messageOf(error)}`);
  }
}

/** Returns an identifier of the files' state, which changes when one is replaced, deleted, or gets other permissions. */
export function manualRevision(files: CertificateFiles): string {
  return [files.chain, files.key]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.ino} ${file.ctimeMs} ${file.size}` : "gone"))
    .join();
}

// --- internal ---

const CERTIFICATE = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

/**
 * X509Certificate parses only the leaf, but the listener fails if any certificate is malformed. A file
 * may also contain the key, before or after them.
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

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = errorCode(error);
    const reason = code === "ENOENT" ? "no such file" : code === "EACCES" ? "this user may not read it" : code;
    throw new Error(`${flag} ${file} cannot be read: ${reason}`);
  }
}
