import { LOCAL } from "../../domain/certificates/certificate.ts";
import type { CertificateAuthority } from "../../domain/ports/certificate-authority.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { CertificateStore, OwnCertificate } from "../../domain/ports/store/certificates.ts";
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

/** A root is installed by hand on every device: it lives as long as a device. */
const ROOT_LIFETIME = 3650 * DAY;
/** As public CAs do it; browsers refuse more than 398 days, some of them for private roots as well. */
const LEAF_LIFETIME = 90 * DAY;
/** For clients whose clock is a little behind. */
const BACKDATED = HOUR;

/**
 * Returns the server's own CA, for development and for origins behind an edge. Its root is made at first use, kept in
 * the store, and trusted nowhere until somebody installs it: `rootCertificate` exports it.
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
      // As they were asked for: addresses have many spellings in a certificate.
      return { ...readCertificate(chain, key, LOCAL), names: identifiers };
    },

    async renewalInfo() {
      return { window: null, nextLookAt: clock.now() + 365 * DAY };
    },
  };
}

/** Returns the root of the local CA, made at first use. */
export async function rootCertificate(store: CertificateStore, clock: Clock): Promise<OwnCertificate> {
  return (await store.own("root")) ?? store.keepOwn("root", await createRoot(clock.now()));
}

/**
 * Returns the self-made certificate for connections whose name has no other, or that give none. It names no host, so
 * that nobody mistakes it for a good one; made at first use and kept, so that it is the same in every thread.
 */
export async function fallbackCertificate(store: CertificateStore, clock: Clock): Promise<OwnCertificate> {
  return (await store.own("fallback")) ?? store.keepOwn("fallback", await createFallback(clock.now()));
}

/** Makes a root of a local CA. */
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

/** Makes a certificate for the names (DNS names, or addresses), signed by a root; the chain ends with the root. */
export async function issueLeaf(root: OwnCertificate, names: readonly string[], now: number): Promise<OwnCertificate> {
  const issuer = new X509Certificate(root.chain);
  const keys = await generateKeyPair();
  const leaf = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [commonName(names)] }],
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATED),
    // Never beyond the root, which would make the chain invalid although the leaf is not.
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

/** A name longer than 64 characters fits no common name (RFC 5280 appendix A); the alternative names are what counts. */
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
