import { CODED_NAMES, namedCoding } from "./precompressed.ts";

/** Headers that frame or describe the transfer: only the server knows them. */
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

/** Headers whose value is not a list: the last rule wins. All others are joined with a comma (RFC 9110 section 5.3). */
const SINGLE: ReadonlySet<string> = new Set(
  (
    "cache-control content-type content-disposition content-encoding content-language x-frame-options x-content-type-options " +
    "referrer-policy strict-transport-security access-control-allow-origin access-control-allow-credentials " +
    "access-control-max-age cross-origin-opener-policy cross-origin-embedder-policy cross-origin-resource-policy " +
    "expires refresh origin-agent-cluster x-xss-protection"
  ).split(" "),
);

/** Returns why a site may not set or remove the header for a path, or null when it may. `name` is in lower case. */
export function refusedHeader(name: string, path: string, value: string | null): string | null {
  if (Object.hasOwn(REFUSED, name)) return REFUSED[name] as string;
  return name === "content-encoding" ? refusedEncoding(path, value) : null;
}

/** The server compresses by itself. Only what is compressed already may say so, and nothing else that the path fits. */
function refusedEncoding(path: string, value: string | null): string | null {
  const coding = namedCoding(path);
  if (coding === null) return `may be set only for a path that ends in ${CODED_NAMES}: the server compresses by itself`;
  if (value === null || value === coding) return null;
  return `must be ${coding} for files of this name`;
}

/** Headers whose values are checked here, and must not depend on what a visitor asks for. */
const CHECKED: ReadonlySet<string> = new Set(["content-encoding", "strict-transport-security"]);

/** Whether the values of the header may have placeholders. `name` is in lower case. */
export function mayHavePlaceholders(name: string): boolean {
  return !CHECKED.has(name);
}

/** Directives of Strict-Transport-Security that bind more hosts than the site's own. */
const BEYOND_ITS_HOST: ReadonlySet<string> = new Set(["includesubdomains", "preload"]);

/** Returns the value that a site may give the header, empty where nothing is left of it. `name` is in lower case. */
export function allowedValue(name: string, value: string): string {
  if (name !== "strict-transport-security") return value;
  const directives = value.split(";").map((directive) => directive.trim());
  const allowed = directives.filter((directive) => !BEYOND_ITS_HOST.has(directive.toLowerCase()));
  return allowed.length === directives.length ? value : allowed.join("; ");
}

export function isSingleValued(name: string): boolean {
  return SINGLE.has(name);
}
