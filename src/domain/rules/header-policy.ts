import { CODED_NAMES, namedCoding } from "./precompressed.ts";

/** Headers that frame or describe the transfer, which only the server can set. */
const TRANSFER =
  "accept-ranges age connection content-length content-range date http2-settings keep-alive " +
  "proxy-authenticate proxy-authorization proxy-connection server te trailer transfer-encoding upgrade alt-svc allow " +
  "etag last-modified";

const REFUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TRANSFER.split(" ").map((name) => [name, "is set by the server alone"])),
  "set-cookie": "is refused: sites share a parent domain, and a cookie could reach the others",
  "set-cookie2": "is refused: sites share a parent domain, and a cookie could reach the others",
  "clear-site-data": "is refused: it could sign people out of other sites under the same domain",
  "service-worker-allowed": "is refused: it would let a script in one folder take over the whole site",
  location: "is refused: write a rule into _redirects instead",
  "basic-auth": "is not supported: make the site private and name its readers instead",
};

/** nginx, Apache and lighttpd answer with another URL or a file of the machine if the server behind them says so. */
const FOR_PROXIES = /^x-accel-|^x-sendfile$|^x-lighttpd-send-file$/;

/** Headers whose value is no list: the last rule wins. Values of others are joined with commas (RFC 9110 section 5.3). */
const SINGLE: ReadonlySet<string> = new Set(
  (
    "cache-control content-type content-disposition content-encoding content-language x-frame-options x-content-type-options " +
    "referrer-policy strict-transport-security access-control-allow-origin access-control-allow-credentials " +
    "access-control-max-age cross-origin-opener-policy cross-origin-embedder-policy cross-origin-resource-policy " +
    "expires refresh origin-agent-cluster x-xss-protection"
  ).split(" "),
);

/** Returns why a site may not set or remove a header for a path, or null. `name` is in lower case. */
export function refusedHeader(name: string, path: string, value: string | null): string | null {
  if (Object.hasOwn(REFUSED, name)) return REFUSED[name] as string;
  if (FOR_PROXIES.test(name)) return "is refused: a proxy in front of the server would obey it";
  return name === "content-encoding" ? refusedEncoding(path, value) : null;
}

/** The server compresses responses itself. Only precompressed files may have the header. */
function refusedEncoding(path: string, value: string | null): string | null {
  const coding = namedCoding(path);
  if (coding === null) return `may be set only for a path that ends in ${CODED_NAMES}: the server compresses by itself`;
  if (value === null || value === coding) return null;
  return `must be ${coding} for files of this name`;
}

/** Headers whose values are validated here and must not depend on the request. */
const CHECKED: ReadonlySet<string> = new Set(["content-encoding", "strict-transport-security"]);

/** Returns whether values of the header may contain placeholders. `name` is in lower case. */
export function mayHavePlaceholders(name: string): boolean {
  return !CHECKED.has(name);
}

/** Directives of Strict-Transport-Security that affect other hosts than the site's. */
const BEYOND_ITS_HOST: ReadonlySet<string> = new Set(["includesubdomains", "preload"]);

/** Returns the allowed part of a header's value, possibly empty. `name` is in lower case. */
export function allowedValue(name: string, value: string): string {
  if (name !== "strict-transport-security") return value;
  const directives = value.split(";").map((directive) => directive.trim());
  const allowed = directives.filter((directive) => !BEYOND_ITS_HOST.has(directive.toLowerCase()));
  return allowed.length === directives.length ? value : allowed.join("; ");
}

export function isSingleValued(name: string): boolean {
  return SINGLE.has(name);
}
