import { createPrivateKey, createPublicKey } from "node:crypto";
import { PemConverter } from "./x509.ts";

const EC_P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** The signature of every certificate and request that is made here. */
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
export async function importKeyPair(pem: string): Promise<CryptoKeyPair> {
  const spki = createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" });
  const publicKey = await crypto.subtle.importKey("spki", new Uint8Array(spki), EC_P256, true, ["verify"]);
  return { privateKey: await importPrivateKey(pem), publicKey };
}
