import { LOCAL } from "../../domain/model/certificate.ts";
import type { CertificateAuthority } from "../../domain/ports/certificate-authority.ts";
import type { CertificateStore, OwnCertificate } from "../../domain/ports/store/certificates.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { DAY, HOUR } from "../../domain/timestamp.ts";
import { ECDSA_SHA256, exportPrivateKey, generateKeyPair, importPrivateKey } from "./keys.ts";
import { readCertificate } from "./read.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "./x509.ts";

/** A root is installed manually on every device, so it is valid as long as a device lives. */
const ROOT_LIFETIME = 3650 * DAY;
/** Like public CAs; browsers refuse more than 398 days, some also for private roots. */
const LEAF_LIFETIME = 90 * DAY;
/** Tolerance for clients whose clock is behind. */
const BACKDATED = HOUR;

/**
 * Returns the local CA, for development and for origins behind an edge. Its root is created at first use, kept in
 * the store, and not trusted until it is installed; `rootCertificate` exports it.
 */
export function localAuthority(store: CertificateStore, clock: Clock): CertificateAuthority {
  return {
    directory: LOCAL,

    async prepare() {
      await rootCertificate(store, clock);
    },

    async obtain({ identifiers }) {
      const root = await rootCertificate(store, clock);
      const { chain, key } = await issueLeaf(root, identifiers, clock.now());
      // As requested, because IP addresses have several notations in a certificate.
      return { ...readCertificate(chain, key, LOCAL), names: identifiers };
    },

    async renewalInfo() {
      return { window: null, nextLookAt: clock.now() + 365 * DAY };
    },
  };
}

/** Returns the root of the local CA, which is created at first use. */
export async function rootCertificate(store: CertificateStore, clock: Clock): Promise<OwnCertificate> {
  return (await store.own("root")) ?? store.keepOwn("root", await createRoot(clock.now()));
}

/**
 * Returns the fallback certificate for connections without SNI or with an unknown name. It contains no host name, so
 * that it cannot be mistaken for a valid one. It is created at first use and stored, so that all threads share it.
 */
export async function fallbackCertificate(store: CertificateStore, clock: Clock): Promise<OwnCertificate> {
  return (await store.own("fallback")) ?? store.keepOwn("fallback", await createFallback(clock.now()));
}

export async function createRoot(now: number): Promise<OwnCertificate> {
  const keys = await generateKeyPair();
  const label = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
  const usages = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;
  return selfSign(`Vitrine local CA ${label}`, keys, now, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(usages, true),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
  ]);
}

/** Issues a certificate for DNS names or IP addresses. Its chain ends with the root. */
export async function issueLeaf(root: OwnCertificate, names: readonly string[], now: number): Promise<OwnCertificate> {
  const issuer = new X509Certificate(root.chain);
  const keys = await generateKeyPair();
  const leaf = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [commonName(names)] }],
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATED),
    // Never beyond the root's expiry, which would invalidate the chain.
    notAfter: new Date(Math.min(now - BACKDATED + LEAF_LIFETIME, issuer.notAfter.getTime())),
    signingAlgorithm: ECDSA_SHA256,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(root.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isAddress(value) ? "ip" : "dns", value }))),
      await AuthorityKeyIdentifierExtension.create(issuer),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { chain: `${leaf.toString("pem")}\n${root.chain}`, key: await exportPrivateKey(keys) };
}

// --- internal ---

async function createFallback(now: number): Promise<OwnCertificate> {
  const keys = await generateKeyPair();
  return selfSign("Vitrine: no certificate for this name yet", keys, now, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
  ]);
}

async function selfSign(name: string, keys: CryptoKeyPair, now: number, extensions: Extension[]) {
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [name] }],
    notBefore: new Date(now - BACKDATED),
    notAfter: new Date(now + ROOT_LIFETIME),
    signingAlgorithm: ECDSA_SHA256,
    keys,
    extensions,
  });
  return { chain: `${certificate.toString("pem")}\n`, key: await exportPrivateKey(keys) };
}

/** The common name allows 64 characters (RFC 5280 appendix A); clients use the alternative names. */
function commonName(names: readonly string[]): string {
  return names.find((name) => name.length <= 64) ?? "Vitrine";
}

function isAddress(name: string): boolean {
  return /^[\d.]+$/.test(name) || name.includes(":");
}

/** 127 random bits, positive (RFC 5280 section 4.1.2.2). */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString("hex");
}
