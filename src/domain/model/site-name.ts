import { DomainError } from "../errors.ts";

/** Maximum length of a DNS label. */
export const MAX_HOST_LABEL = 63;

/** Leaves room in a DNS label of 63 bytes for the prefix `<n>--` with a deployment number of up to 11 digits. */
const MAX_LENGTH = 50;

/** The time for which the former name of a site leads to it, and is reserved for its owner. */
export const FORMER_NAME_KEPT_DAYS = 90;

/**
 * Names that the server, mail or DNS may need below the sites domain, or that could impersonate
 * the server. Common names such as `docs` or `blog` are allowed.
 */
const RESERVED = new Set(
  (
    "acme admin administrator api auth autoconfig autodiscover dashboard ftp hostmaster imap localhost login mail mx ns " +
    "ns1 ns2 ns3 ns4 oauth pop pop3 postmaster root signin smtp ssl vitrine webmail wpad www"
  ).split(" "),
);

/**
 * Returns what is wrong with the form of a site name, or null. A name is one DNS label of 1 to 50 characters `a-z0-9-`.
 * `--` is reserved: it separates a deployment's number from its site, and marks internationalized labels at the third
 * position.
 */
export function siteNameShapeProblem(name: string): string | null {
  if (name.length === 0) return "it is empty";
  if (name.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (!/^[a-z0-9-]+$/.test(name)) return "only a-z, 0-9 and - are allowed";
  if (name.startsWith("-") || name.endsWith("-")) return "it may not begin or end with a hyphen";
  if (name.includes("--")) return "it may not contain two hyphens in a row";
  if (/^[0-9]+$/.test(name)) return "it may not consist of digits alone";
  return null;
}

/** Returns what is wrong with a name for a new site, or null. */
export function siteNameProblem(name: string): string | null {
  return siteNameShapeProblem(name) ?? (RESERVED.has(name) ? "this name is reserved" : null);
}

/** Returns whether nobody may give a site this name, although it has the form of one. */
export function isReservedName(name: string, own: string | null): boolean {
  return name === own || RESERVED.has(name);
}

/** Throws `invalid` for an unusable name. `own` is the label of the base host, if it is below the sites domain. */
export function requireSiteName(name: string, own: string | null = null): void {
  const problem = name === own ? "this name is reserved" : siteNameProblem(name);
  if (problem)
    throw new DomainError("invalid", `site name is invalid: ${problem}: ${JSON.stringify(name.slice(0, 80))}`);
}
