import { type CertificateFiles, manualRevision, readManualCertificate } from "../../clients/x509/read.ts";
import type { Config } from "../../config/settings.ts";
import { listPresentable } from "../../domain/certificates/manage.ts";
import type { ServerHosts } from "../../domain/certificates/wanted.ts";
import { messageOf } from "../../domain/error-message.ts";
import { type Certificate, certificateFor, type PresentedCertificate } from "../../domain/model/certificate.ts";
import type { Store } from "../../domain/ports/store.ts";
import { type TlsSet, tlsSet } from "../../serving/tls/tls.ts";

/**
 * Returns the set that the listeners present now; null without TLS. `keepCertificates` has created the fallback before.
 * Throws with one sentence if the operator's files are unusable.
 */
export async function loadTlsSet(config: Config, store: Pick<Store, "certificates">): Promise<TlsSet | null> {
  if (config.tls === "off") return null;
  if (config.tls === "manual") {
    const certificate = manualCertificate(config);
    return tlsSet([certificate], certificate);
  }
  const managed = await store.certificates.list();
  const certificates = managed.flatMap(({ current }) => (current === null ? [] : [current]));
  const fallback = defaultCertificate(config, certificates) ?? (await store.certificates.own("fallback"));
  if (fallback === null) throw new Error("the fallback certificate is missing");
  return tlsSet(certificates, fallback);
}

/** Returns an identifier of the set that the listeners should present. It changes with the set. */
export async function tlsRevision(config: Config, store: Pick<Store, "certificates">): Promise<string> {
  return config.tls === "manual" ? manualRevision(manualFiles(config)) : String(await store.certificates.revision());
}

/** Returns the certificates that the listeners should present; they may still present older ones. */
export async function presentableCertificates(
  config: Config,
  store: Pick<Store, "certificates">,
): Promise<readonly PresentedCertificate[]> {
  if (config.tls !== "manual") return listPresentable({ store });
  const { names, notAfter } = manualCertificate(config);
  return [{ name: names[0] ?? "", notAfter }];
}

/** Returns the operator's certificate. Throws with one sentence if its files are unusable. */
export function manualCertificate(config: Config): Certificate {
  return readManualCertificate(manualFiles(config));
}

/** Returns what is wrong with the operator's files; null if they are valid or there are none. */
export function unusableFiles(config: Config): string | null {
  if (config.tls !== "manual") return null;
  try {
    manualCertificate(config);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns the hosts of the server for which it has certificates. */
export function serverHosts(config: Config): ServerHosts {
  const { sitesDomain, dnsListen } = config;
  return { baseHost: baseHostname(config), sitesDomain, wildcard: dnsListen !== null };
}

// --- internal ---

/** Returns the host of the base URL as in certificates. */
function baseHostname(config: Config): string {
  return new URL(config.baseUrl).hostname.replace(/^\[|\]$/g, "");
}

/** The local CA also signs addresses, and clients that connect to one send no server name. */
function defaultCertificate(config: Config, certificates: readonly Certificate[]): Certificate | null {
  return config.tls === "internal" ? certificateFor(baseHostname(config), certificates) : null;
}

function manualFiles({ tlsCert, tlsKey }: Config): CertificateFiles {
  if (tlsCert === null || tlsKey === null) throw new Error("--tls manual needs --tls-cert and --tls-key");
  return { chain: tlsCert, key: tlsKey };
}
