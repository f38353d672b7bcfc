import { createPrivateKey, createPublicKey } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from "./x509.ts";

const EC_P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** The signature algorithm of all certificates and requests. */
export const ECDSA_SHA256 = { name: "ECDSA", hash: "SHA-256" } as const;

export async function generateKeyPair(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(EC_P256, true, ["sign", "verify"]);
}

/** Returns the private key of a pair as PEM (PKCS #8). */
export async function exportPrivateKey({ privateKey }: CryptoKeyPair): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey("pkcs8", privateKey), "PRIVATE KEY")}\n`;
}

export async function importPrivateKey(pem: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), EC_P256, false, ["sign"]);
}

/** Returns the pair that a private key in PEM form belongs to. */
async function importKeyPair(pem: string): Promise<CryptoKeyPair> {
  const spki = createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" });
  const publicKey = await crypto.subtle.importKey("spki", new Uint8Array(spki), EC_P256, true, ["verify"]);
  return { privateKey: await importPrivateKey(pem), publicKey };
}

/** Returns a certificate signing request (RFC 2986, DER) for DNS names, signed with a private key in PEM form. */
export async function signingRequest(names: readonly string[], key: string): Promise<Uint8Array> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: await importKeyPair(key),
    signingAlgorithm: ECDSA_SHA256,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value })))],
  });
  return new Uint8Array(request.rawData);
}

/** Returns the certificate's identifier for renewal information: key identifier and serial (RFC 9773 section 4.1). */
export function renewalId(chain: string): string | null {
  const certificate = new X509Certificate(PemConverter.decodeFirst(chain));
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (!keyId) return null;
  // The serial in DER: with a leading zero byte if the number would be negative otherwise.
  const serial = /^[89a-f]/i.test(certificate.serialNumber)
    ? `00${certificate.serialNumber}`
    : certificate.serialNumber;
  return [keyId, serial].map((hex) => Buffer.from(hex, "hex").toString("base64url")).join(".");
}
