import { isAddress, parseHost } from "../host.ts";

interface StrictTransport {
  /** Where certificates come from. */
  readonly tls: "off" | "internal" | "manual" | "acme";
  /** For how long browsers are to remember it, in milliseconds; null for nothing at all. */
  readonly hsts: number | null;
  readonly baseUrl: string;
}

/**
 * Returns the `Strict-Transport-Security` field of answers at the base address; null where there is none. It names that
 * host alone, without those below it: they are of people who may want plain HTTP. Certificates of the local CA are not
 * trusted everywhere, and a browser that remembers HTTPS for such a host lets nobody past its warning.
 */
export function strictTransport({ tls, hsts, baseUrl }: StrictTransport): string | null {
  if (hsts === null || tls === "off" || tls === "internal") return null;
  const host = parseHost(new URL(baseUrl).host);
  // Other programs of the same machine are at localhost, too, and an address has no such rule (RFC 6797 section 8.3).
  if (host === null || /(?:^|\.)localhost$/.test(host) || isAddress(host)) return null;
  return `max-age=${Math.floor(hsts / 1000)}`;
}
