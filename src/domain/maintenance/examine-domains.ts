import type { OwnNames, PublicSuffixes } from "../claims/hostname.ts";
import { type Finding, warning } from "../model/finding.ts";

/**
 * Returns a warning if a site can set cookies for the dashboard, because both are below one registrable domain. Browsers
 * send such cookies to the dashboard and all sites, and those who have many of them reach none.
 */
export function examineDomains({ baseHost, sitesDomain }: OwnNames, suffixes: PublicSuffixes): Finding[] {
  const shared = suffixes.registrableDomain(`site.${sitesDomain}`);
  if (shared === null || shared !== suffixes.registrableDomain(baseHost)) return [];
  const detail = `sites and dashboard share ${shared}: cookies of one site can lock its visitors out of all of them`;
  return [warning("sites domain", detail, "give the sites a registrable domain of their own: sites-domain")];
}
