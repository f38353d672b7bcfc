import { DomainError } from "../errors.ts";

/** The server's own hostnames. They cannot be claimed, nor can any name below the sites domain. */
export interface OwnNames {
  readonly baseHost: string;
  readonly sitesDomain: string;
}

/** 255 octets on the wire are 253 characters (RFC 1035, section 2.3.4), less the label and dot of the TXT record's name. */
const MAX_CHARACTERS = 253 - "_vitrine-challenge.".length;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Top-level domains that do not exist in public DNS (RFC 6761, 6762, 7686, 8375, 9476, and ICANN's `internal`). `test` is
 * allowed, because it is used with local resolvers to try a server out.
 */
const SPECIAL_TOP_LEVELS = ["localhost", "local", "internal", "invalid", "onion", "alt", "arpa"];

/**
 * Returns the hostname as it is stored: lower case, A-labels, no trailing dot. Throws `invalid` with a sentence that
 * says why it cannot be claimed.
 */
export function parseHostname(text: string, suffixes: PublicSuffixes, own: OwnNames): string {
  const hostname = toAscii(text.replace(/\.$/, "")).toLowerCase();
  const labels = hostname.split(".");
  checkLabels(hostname, labels);
  const topLevel = labels.at(-1) as string;
  if (/^\d+$|^0x[0-9a-f]*$/.test(topLevel)) {
    throw unusable(`${hostname} is an IP address or ends like one: claim the name that points to it`);
  }
  if (SPECIAL_TOP_LEVELS.includes(topLevel)) {
    throw unusable(`${hostname} is not a public name: names under .${topLevel} are not found in public DNS`);
  }
  if (labels.length < 2) throw unusable(`${hostname} is a single label, not a public name such as www.example.org`);
  if (isOwnName(hostname, own)) throw unusable(ownNameRefusal(hostname, own));
  if (suffixes.registrableDomain(hostname) === null) {
    throw unusable(`${hostname} is a public suffix, under which others register names: claim a name below it`);
  }
  return hostname;
}

/**
 * Returns whether the hostname is one of the server's own. It can become one after it was claimed, when settings
 * change.
 */
export function isOwnName(hostname: string, { baseHost, sitesDomain }: OwnNames): boolean {
  return hostname === baseHost || hostname === sitesDomain || hostname.endsWith(`.${sitesDomain}`);
}

export function ownNameRefusal(hostname: string, { baseHost, sitesDomain }: OwnNames): string {
  const use =
    hostname === baseHost ? "its base URL lives there" : `sites have their names below ${sitesDomain} by themselves`;
  return `${hostname} belongs to this server: ${use}`;
}

/**
 * Returns the name that people expect to work as well: `www` for a registered domain, the domain itself for its `www`.
 * Null for every other name.
 */
export function counterpart(hostname: string, suffixes: PublicSuffixes): string | null {
  const registrable = suffixes.registrableDomain(hostname);
  if (hostname === registrable) return `www.${hostname}`;
  return hostname === `www.${registrable}` ? registrable : null;
}

/** The public suffix list (publicsuffix.org), including private suffixes such as `github.io`. */
export interface PublicSuffixes {
  /** Returns the registrable domain: the suffix and one label. Null if the hostname is itself a suffix. */
  registrableDomain(hostname: string): string | null;
}

// --- internal ---

function unusable(why: string): DomainError {
  return new DomainError("invalid", `the hostname cannot be used: ${why}`);
}

/** Converts an internationalized name to A-labels, and validates A-labels. */
function toAscii(name: string): string {
  const stray = /[\u0000-\u002c\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a0]/.exec(name)?.[0];
  if (stray === "*") throw unusable("wildcards cannot be claimed: claim each name that shall work");
  if (stray === ":" || stray === "/") throw unusable("give the bare name, without scheme, port or path");
  if (stray !== undefined) throw unusable(`it holds the character ${JSON.stringify(stray)}`);
  if (!/[^\u0000-\u007f]|xn--/i.test(name)) return name;
  try {
    return new URL(`http://${name}`).hostname;
  } catch {
    throw unusable("its international form is not valid (IDNA)");
  }
}

function checkLabels(hostname: string, labels: readonly string[]): void {
  if (hostname === "") throw unusable("it is empty");
  if (hostname.length > MAX_CHARACTERS) {
    throw unusable(
      `it has ${hostname.length} characters, at most ${MAX_CHARACTERS} leave room for the TXT record's name`,
    );
  }
  for (const label of labels) {
    if (label === "") throw unusable("it has an empty label: two dots in a row, or a dot in front");
    if (label.length > 63) throw unusable(`a label has ${label.length} characters, at most 63 are possible`);
    if (!LABEL.test(label))
      throw unusable(`the label ${JSON.stringify(label)} may hold a-z, 0-9 and inner hyphens only`);
    if (label.slice(2, 4) === "--" && !label.startsWith("xn--")) {
      throw unusable(`the label ${JSON.stringify(label)} is reserved: hyphens in third and fourth place`);
    }
  }
}
