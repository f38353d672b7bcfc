/** The hosts of a reported site. All of them show the site, whatever scheme and port an address has. */
export interface OwnHosts {
  readonly siteName: string;
  readonly sitesDomain: string;
  /** The custom domains, in lower case. */
  readonly domains: ReadonlySet<string>;
  /** True if the server's base URL is HTTPS, so that its sites are visited so. */
  readonly isSecure: boolean;
}

/** The kind of a host, as far as reports tell them apart. */
type HostKind = "own" | "local" | "preview" | "other";

/** Returns the kind of a host as `URL` writes it. */
export function kindOfHost({ siteName, sitesDomain, domains }: OwnHosts, hostname: string): HostKind {
  const host = hostname.replace(/\.$/, "");
  if (domains.has(host)) return "own";
  const below = `.${sitesDomain}`;
  if (host.endsWith(below)) {
    const label = host.slice(0, -below.length);
    if (label === siteName || label.endsWith(`--${siteName}`)) return "own";
    return label.includes("--") ? "preview" : "other";
  }
  return isLocal(host) ? "local" : "other";
}

// --- internal ---

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || LOOPBACK.test(host) || host === "[::1]";
}

/** `URL` writes every form of an IPv4 address as four decimal numbers. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/;
