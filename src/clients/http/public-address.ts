import ipaddr from "ipaddr.js";

/**
 * Returns whether an IP address is public. Only plain unicast addresses are: not private, loopback, link-local, shared,
 * documentation or reserved ones, and no IPv6 addresses that contain an IPv4 address (mapped, NAT64, 6to4, Teredo),
 * which could hide a private one.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  // IPv4-compatible addresses (::/96, RFC 4291 section 2.5.5.1) are deprecated, but some systems still route them.
  return parsed.kind() === "ipv4" || !parsed.match(ipaddr.parse("::"), 96);
}
