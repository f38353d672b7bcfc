import { isIPv4 } from "node:net";
import { BoundedMemo } from "../domain/bounded-memo.ts";

/**
 * Returns the host of a `Host` header or `:authority` in lower case, without port and trailing dot; null if it is not a
 * host name or an address. Bun accepts values that its own URL parser misreads (`user@x`, `a, b`, `a/../b`), so nothing
 * may read the request's URL before this.
 */
export function parseHost(header: string | null): string | null {
  if (header === null || header.length === 0 || header.length > MAX_HOST_HEADER) return null;
  return parsed.get(header, parse);
}

/** 253 for the longest name, and space for a trailing dot and a port. */
const MAX_HOST_HEADER = 260;

/** Most requests name one of a few hosts. */
const parsed = new BoundedMemo<string, string | null>(10_000);

const HOST =
  /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*)\.?(?::(\d{0,5}))?$/;

function parse(header: string): string | null {
  const [, host, port] = HOST.exec(header.toLowerCase()) ?? [];
  if (host === undefined || host.length > 253 || Number(port ?? 0) > 65_535) return null;
  return host.split(".").some((label) => label.length > 63) && !host.startsWith("[") ? null : host;
}

/** Returns whether a parsed host is an IP address. */
export function isAddress(host: string): boolean {
  // Called for each visit. The last character rules out nearly all names.
  const last = host.charCodeAt(host.length - 1);
  const isDigit = last >= 0x30 && last <= 0x39;
  return host.startsWith("[") || (isDigit && isIPv4(host));
}

/** Returns the hosts of the base URL: its own, or all loopback names if it is one of them. */
export function baseHosts(baseUrl: string): ReadonlySet<string> {
  const host = parseHost(new URL(baseUrl).host) ?? "localhost";
  const loopback = ["localhost", "127.0.0.1", "[::1]"];
  return new Set(loopback.includes(host) ? loopback : [host]);
}

/** Returns the server's own label below the sites domain; null if its host is elsewhere. */
export function ownLabel(baseUrl: string, sitesDomain: string): string | null {
  const { hostname } = new URL(baseUrl);
  return hostname.endsWith(`.${sitesDomain}`) ? hostname.slice(0, -sitesDomain.length - 1) : null;
}
