import type { WantedCertificate } from "../ports/store/certificates.ts";
import { covers } from "./certificate.ts";

export interface ApplianceHosts {
  /** Host of the base address, without a port. */
  readonly baseHost: string;
  readonly sitesDomain: string;
  /** Whether a wildcard can be had: by the DNS-01 responder, or from the local CA. */
  readonly wildcard: boolean;
}

/**
 * Returns the certificates that the appliance wants for its own hosts: one wildcard for all sites, together with the
 * base host where both lie in the same zone, and one for a base host that the wildcard does not cover. One certificate
 * per site would meet the CA's limit of 50 a week and domain within days, so without a wildcard sites have none.
 */
export function wantedByAppliance({ baseHost, sitesDomain, wildcard }: ApplianceHosts): readonly WantedCertificate[] {
  const base: WantedCertificate = { identifiers: [baseHost], challenge: "http-01", origin: "appliance" };
  const bases = isDnsName(baseHost) ? [base] : [];
  if (!wildcard || !isDnsName(sitesDomain)) return bases;
  const names = baseHost === sitesDomain ? [sitesDomain, `*.${sitesDomain}`] : [`*.${sitesDomain}`];
  const sites: WantedCertificate = { identifiers: names, challenge: "dns-01", origin: "appliance" };
  return covers(names, baseHost) ? [sites] : [...bases, sites];
}

/** Returns the name of the record that proves a name by DNS-01 (RFC 8555 section 8.4); a wildcard shares its parent's. */
export function challengeRecordName(identifier: string): string {
  return `_acme-challenge.${identifier.replace(/^\*\./, "")}`;
}

// --- internal ---

/** Addresses get no certificate here, and no CA signs a single label such as `localhost`. */
function isDnsName(host: string): boolean {
  return host.includes(".") && !/^[\d.]+$/.test(host) && !host.includes(":") && !host.endsWith(".localhost");
}
