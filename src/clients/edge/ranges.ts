import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { EdgeRanges } from "../../domain/ports/edge.ts";

/** Cloudflare's published ranges (cloudflare.com/ips), and the date of their last change. */
const PUBLISHED_VERSION = "2023-09-28";
const PUBLISHED_RANGES = [
  "173.245.48.0/20",
  "103.21.244.0/22",
  "103.22.200.0/22",
  "103.31.4.0/22",
  "141.101.64.0/18",
  "108.162.192.0/18",
  "190.93.240.0/20",
  "188.114.96.0/20",
  "197.234.240.0/22",
  "198.41.128.0/17",
  "162.158.0.0/15",
  "104.16.0.0/13",
  "104.24.0.0/14",
  "172.64.0.0/13",
  "131.0.72.0/22",
  "2400:cb00::/32",
  "2606:4700::/32",
  "2803:f800::/32",
  "2405:b500::/32",
  "2405:8100::/32",
  "2a06:98c0::/29",
  "2c0f:f248::/32",
] as const;

/** Returns the built-in ranges, or the operator's own (CIDRs) with a digest as their version. */
export function edgeRanges(own: readonly string[] | null): EdgeRanges {
  const ranges = (own ?? PUBLISHED_RANGES).map((range) => ipaddr.parseCIDR(range));
  return {
    version: own === null ? PUBLISHED_VERSION : `custom-${digest(own)}`,
    covers(address) {
      if (!ipaddr.isValid(address)) return false;
      const parsed = ipaddr.parse(address);
      return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
    },
  };
}

function digest(ranges: readonly string[]): string {
  return createHash("sha256")
    .update([...ranges].sort().join("\n"))
    .digest("hex")
    .slice(0, 12);
}
