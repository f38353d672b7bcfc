import { isAddress, parseHost } from "../host.ts";

interface StrictTransport {
  /** The source of certificates. */
  readonly tls: "off" | "internal" | "manual" | "acme";
  /** The time for which browsers remember it, in milliseconds; null to send no field. */
  readonly hsts: number | null;
  readonly baseUrl: string;
}

/**
 * Returns the `Strict-Transport-Security` field of responses at the base URL; null for none. It covers that host
 * only, not those below it, whose owners may want plain HTTP. Certificates of the local CA are not trusted everywhere,
 * and a browser that remembers HTTPS for such a host does not allow skipping its warning.
 */
export function strictTransport({ tls, hsts, baseUrl }: StrictTransport): string | null {
  if (hsts === null || tls === "off" || tls === "internal") return null;
  const host = parseHost(new URL(baseUrl).host);
  // Other programs use localhost, too, and the field does not apply to addresses (RFC 6797 section 8.3).
  if (host === null || /(?:^|\.)localhost$/.test(host) || isAddress(host)) return null;
  return `max-age=${Math.floor(hsts / 1000)}`;
}
