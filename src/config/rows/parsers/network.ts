import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import type { RoutingTarget } from "../../../domain/claims/observation.ts";
import { listOf, type Parser, parser, Unusable } from "./parser.ts";

/** An address to listen on. `host` null means every interface, IPv4 and IPv6. */
export interface ListenAddress {
  readonly host: string | null;
  readonly port: number;
}

interface AddressAndPort {
  readonly address: string;
  readonly port: number;
}

interface ProbePorts {
  readonly http: number;
  readonly https: number;
}

export const listenAddress = parser<ListenAddress>(
  "ADDRESS",
  (value) => {
    const parts = splitPort(value);
    const everyInterface = parts?.host === "" || parts?.host === "*";
    const known = parts && (everyInterface || isIP(parts.host) !== 0 || isHostname(parts.host));
    if (!known || Number(parts.port) > 65_535) {
      throw new Unusable("an address such as 127.0.0.1:8080, [::1]:8080 or :443");
    }
    return { host: everyInterface ? null : parts.host, port: Number(parts.port) };
  },
  formatListenAddress,
);

/** Formats a listen address as on the command line. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host === null ? "" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** `ip:port`, `[v6]:port`, or an IP address with the default port. */
export function addressAndPort(usualPort: number): Parser<AddressAndPort> {
  return parser("ADDRESS", (value) => {
    if (isIP(value)) return { address: value, port: usualPort };
    const parts = splitPort(value);
    if (!parts || isIP(parts.host) === 0)
      throw new Unusable(`addresses such as 127.0.0.1:${usualPort},[::1]:${usualPort}`);
    return { address: parts.host, port: port(parts.port) };
  });
}

export const probePorts = parser<ProbePorts>(
  "HTTP,HTTPS",
  (value) => {
    const match = /^(\d+)\s*,\s*(\d+)$/.exec(value);
    if (!match) throw new Unusable("the HTTP and the HTTPS port, such as 80,443");
    return { http: port(match[1] as string), https: port(match[2] as string) };
  },
  ({ http, https }) => `${http},${https}`,
);

/** A DNS name, in lower case and without a trailing dot. IP addresses are refused: they have no subdomains. */
export const domainName = parser<string>("DOMAIN", (value) => {
  const name = value.toLowerCase().replace(/\.$/, "");
  if (!isHostname(name) || isIP(name) !== 0) throw new Unusable("a domain name, such as pages.example.org");
  return name;
});

const RANGES_USABLE = "address ranges such as 10.0.0.0/8,2001:db8::/32";

/** The prefix length of IPv4-mapped IPv6 addresses, `::ffff:0:0/96`. */
const MAPPED_BITS = 96;

/** One IP range in canonical form. A single address is a range of one, and IPv4-mapped IPv6 is converted to IPv4. */
export const cidr = parser<string>("CIDR", (value) => {
  const range = isIP(value) ? `${value}/${isIP(value) === 4 ? 32 : 128}` : value;
  if (!ipaddr.isValidCIDR(range) || isIP(range.split("/")[0] as string) === 0) throw new Unusable(RANGES_USABLE);
  const [address, bits] = ipaddr.parseCIDR(range);
  if (!(address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())) return `${address.toString()}/${bits}`;
  // A shorter prefix is meant for the IPv4 range. As an IPv6 prefix it would never match an IPv4 address.
  if (bits < MAPPED_BITS) throw new Unusable(RANGES_USABLE);
  return `${address.toIPv4Address().toString()}/${bits - MAPPED_BITS}`;
});

/** IP ranges, or the path of a file with one range per line and comments after `#`. */
export const cidrsOrFile = parser<readonly string[]>("CIDRS|FILE", (value, folder) => {
  const ranges = listOf(cidr);
  const isList = value.split(/[\s,]+/).every((item) => isIP(item.split("/")[0] as string) !== 0);
  if (isList) return ranges(value, folder);
  try {
    return ranges(readFileSync(resolve(folder, value), "utf8").replaceAll(/#.*/g, ""), folder);
  } catch (error) {
    const reason = error instanceof Unusable ? "whose every line is an address range" : "that can be read";
    throw new Unusable(`address ranges such as 173.245.48.0/20, or a file ${reason}`);
  }
});

const TARGET_FITS: Readonly<Record<RoutingTarget["type"], (value: string) => boolean>> = {
  A: (value) => isIP(value) === 4,
  AAAA: (value) => isIP(value) === 6,
  CNAME: (value) => isIP(value) === 0 && isHostname(value.replace(/\.$/, "")),
};

export const routingTarget = parser<RoutingTarget>("RECORD", (value) => {
  const [, kind = "", target = ""] = /^([a-z]+):(.+)$/i.exec(value) ?? [];
  const type = kind.toUpperCase() as RoutingTarget["type"];
  const bare = target.replace(/^\[(.*)\]$/, "$1");
  if (!Object.hasOwn(TARGET_FITS, type) || !TARGET_FITS[type](bare)) {
    throw new Unusable("records such as A:203.0.113.7,AAAA:2001:db8::7,CNAME:pages.example.org");
  }
  return { type, value: type === "CNAME" ? bare.toLowerCase().replace(/\.$/, "") : bare };
});

// --- internal ---

const PORT_USABLE = "a port from 1 to 65535";

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 65_535) throw new Unusable(PORT_USABLE);
  return number;
}

/** Splits `host:port` and `[v6]:port`; null for other forms. */
function splitPort(value: string): { readonly host: string; readonly port: string } | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]*)):(\d+)$/.exec(value);
  return match ? { host: match[1] ?? match[2] ?? "", port: match[3] as string } : null;
}

function isHostname(value: string): boolean {
  return (
    value.length <= 253 && /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(value)
  );
}
