/** This server, as passkeys know it. */
export interface RelyingParty {
  /** The host of the base URL. Browsers let pages of hosts below it use the same ID. */
  readonly id: string;
  /** The only origin whose pages may use its passkeys. */
  readonly origin: string;
}

/** The relying party, or why browsers refuse passkeys at the base URL. */
export type PasskeySupport =
  | { readonly party: RelyingParty; readonly problem: null }
  | { readonly party: null; readonly problem: string };

/**
 * Decides whether the server offers passkeys. Everything follows from the base URL and nothing from a request: pages of
 * hosted sites may be below the same host.
 */
export function passkeySupport(baseUrl: string): PasskeySupport {
  const { hostname, origin, protocol } = new URL(baseUrl);
  if (isAddress(hostname)) return { party: null, problem: `passkeys need a host name, and ${origin} is an IP address` };
  if (protocol !== "https:" && !isLocal(hostname)) {
    return { party: null, problem: `passkeys need HTTPS, and ${origin} is plain HTTP` };
  }
  return { party: { id: hostname, origin }, problem: null };
}

// --- internal ---

/** `URL` has written IP addresses in their standard form. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Browsers trust these names without TLS. */
function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}
