import type { TLSOptions } from "bun";
import type { Certificate } from "../../domain/model/certificate.ts";

type KeyPair = Pick<Certificate, "chain" | "key">;

/**
 * The cipher suites of TLS 1.2: forward secrecy and authenticated encryption only (Mozilla's "intermediate"
 * configuration without its DHE suites, which no client needs). All suites of TLS 1.3 are secure, and Bun accepts
 * nothing below 1.2.
 */
const CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** The TLS side of a listener: the certificate for each name. It is fixed for the listener's lifetime. */
export interface TlsSet {
  readonly options: TLSOptions[];
  /** Returns whether the host has a certificate of its own; the fallback does not count. */
  covers(host: string): boolean;
}

/**
 * Returns what a listener presents: for every name the certificate that expires last, and `fallback` for unknown names
 * and for clients that send none. Bun uses the first entry for those, and matches wildcards.
 */
export function tlsSet(certificates: readonly Certificate[], fallback: KeyPair): TlsSet {
  const byName = new Map<string, Certificate>();
  for (const certificate of certificates) {
    for (const name of certificate.names) {
      const known = byName.get(name);
      if (known === undefined || known.notAfter < certificate.notAfter) byName.set(name, certificate);
    }
  }
  const named = [...byName].map(([serverName, certificate]) => ({ serverName, ...entry(certificate) }));
  return {
    options: [entry(fallback), ...named],
    covers: (host) => byName.has(host) || byName.has(host.replace(/^[^.]+/, "*")),
  };
}

function entry({ chain, key }: KeyPair): TLSOptions {
  return { cert: chain, key, ciphers: CIPHERS };
}
