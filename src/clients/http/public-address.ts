import ipaddr from "ipaddr.js";

/**
 * Tells whether an address is one of the public internet's. Only plain unicast is: not private, loopback, link-local,
 * shared, documentation or reserved space, and none of the IPv6 forms that carry an IPv4 address inside
 * (mapped, NAT64, 6to4, Teredo), behind which a private one could hide.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  // IPv4-compatible addresses (::/96, RFC 4291 section 2.5.5.1), deprecated and still routed inside by some systems.
  return parsed.kind() === "ipv4" || !parsed.match(ipaddr.parse("::"), 96);
}
