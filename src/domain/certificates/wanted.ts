import type { WantedCertificate } from "../ports/store/certificates.ts";
import { covers } from "./certificate.ts";

export interface ServerHosts {
  /** Host of the base address, without a port; an IPv6 address without brackets. */
  readonly baseHost: string;
  readonly sitesDomain: string;
  /** Whether a public CA could be shown a wildcard: with the DNS-01 responder. */
  readonly wildcard: boolean;
}

/**
 * Returns the certificates that the server wants from a public CA for its own hosts: one wildcard for all sites,
 * together with the base host where that is the sites domain, and one for a base host that the wildcard does not cover.
 * One certificate per site would meet the CA's limit of 50 a week and domain within days, so that without a wildcard
 * sites have none. No public CA signs a single label, `localhost`, or an address.
 */
export function wantedByServer({ baseHost, sitesDomain, wildcard }: ServerHosts): readonly WantedCertificate[] {
  const base: WantedCertificate = { identifiers: [baseHost], challenge: "http-01", origin: "appliance" };
  const bases = isPublicName(baseHost) ? [base] : [];
  if (!wildcard || !isPublicName(sitesDomain)) return bases;
  const names = baseHost === sitesDomain ? [sitesDomain, `*.${sitesDomain}`] : [`*.${sitesDomain}`];
  const sites: WantedCertificate = { identifiers: names, challenge: "dns-01", origin: "appliance" };
  return covers(names, baseHost) ? [sites] : [...bases, sites];
}

/** Returns the same from the local CA, which signs everything: one certificate for the base host and one for all sites. */
export function wantedLocally({ baseHost, sitesDomain }: ServerHosts): readonly WantedCertificate[] {
  const names = LOOPBACK.includes(baseHost) ? LOOPBACK : [baseHost];
  const base: WantedCertificate = { identifiers: names, challenge: "http-01", origin: "appliance" };
  return [base, { identifiers: [`*.${sitesDomain}`], challenge: "dns-01", origin: "appliance" }];
}

/**
 * Returns whether the wish asks for nothing beyond what is filed under its subject. A claim takes nothing from the
 * server: a name that is both is the server's.
 */
export function isFiled(filed: WantedCertificate, wish: WantedCertificate): boolean {
  if (filed.origin === "appliance" && wish.origin === "claim") return true;
  return filed.origin === wish.origin && isSameCertificate(filed, wish);
}

/** Returns whether both are one certificate, whoever wants it. */
export function isSameCertificate(one: WantedCertificate, other: WantedCertificate): boolean {
  return one.identifiers.join() === other.identifiers.join() && one.challenge === other.challenge;
}

/** Returns the name of the record that proves a name by DNS-01 (RFC 8555 section 8.4); a wildcard shares its parent's. */
export function challengeRecordName(identifier: string): string {
  return `_acme-challenge.${identifier.replace(/^\*\./, "")}`;
}

// --- internal ---

/** The names under which a server on this very machine is reached. */
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

function isPublicName(host: string): boolean {
  return host.includes(".") && !/^[\d.]+$/.test(host) && !host.includes(":") && !host.endsWith(".localhost");
}
