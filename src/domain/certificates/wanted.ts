import { covers } from "../model/certificate.ts";
import type { WantedCertificate } from "../ports/store/certificates.ts";

export interface ServerHosts {
  /** Host of the base URL, without a port; an IPv6 address without brackets. */
  readonly baseHost: string;
  readonly sitesDomain: string;
  /** True if wildcards can be validated, with the DNS-01 responder. */
  readonly wildcard: boolean;
}

/**
 * Returns the certificates of the server's own hosts from a public CA: one wildcard for all sites,
 * including the base host if it is the sites domain, and one for a base host that the wildcard does not cover.
 * One certificate per site would exceed the CA's limit of 50 per week and domain, so that without a wildcard
 * sites have none. No public CA issues for a single label, `localhost`, or an IP address.
 */
export function wantedByServer({ baseHost, sitesDomain, wildcard }: ServerHosts): readonly WantedCertificate[] {
  const base: WantedCertificate = { identifiers: [baseHost], challenge: "http-01", origin: "appliance" };
  const bases = isPublicName(baseHost) ? [base] : [];
  if (!wildcard || !isPublicName(sitesDomain)) return bases;
  const names = baseHost === sitesDomain ? [sitesDomain, `*.${sitesDomain}`] : [`*.${sitesDomain}`];
  const sites: WantedCertificate = { identifiers: names, challenge: "dns-01", origin: "appliance" };
  return covers(names, baseHost) ? [sites] : [...bases, sites];
}

/** Returns the same for the local CA, which issues for any name. */
export function wantedLocally({ baseHost, sitesDomain }: ServerHosts): readonly WantedCertificate[] {
  const names = LOOPBACK.includes(baseHost) ? LOOPBACK : [baseHost];
  const base: WantedCertificate = { identifiers: names, challenge: "http-01", origin: "appliance" };
  return [base, { identifiers: [`*.${sitesDomain}`], challenge: "dns-01", origin: "appliance" }];
}

/**
 * Returns whether the stored certificate satisfies the wanted one. The server's own certificate takes precedence over a
 * claim for the same name.
 */
export function isSufficient(stored: WantedCertificate, wanted: WantedCertificate): boolean {
  if (stored.origin === "appliance" && wanted.origin === "claim") return true;
  return stored.origin === wanted.origin && isSameCertificate(stored, wanted);
}

/** Returns whether both have the same names and challenge. */
export function isSameCertificate(one: WantedCertificate, other: WantedCertificate): boolean {
  return one.identifiers.join() === other.identifiers.join() && one.challenge === other.challenge;
}

/** Returns the name of the DNS-01 record (RFC 8555 section 8.4). A wildcard shares the record of its parent. */
export function challengeRecordName(identifier: string): string {
  return `_acme-challenge.${identifier.replace(/^\*\./, "")}`;
}

// --- internal ---

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

function isPublicName(host: string): boolean {
  return host.includes(".") && !/^[\d.]+$/.test(host) && !host.includes(":") && !host.endsWith(".localhost");
}
