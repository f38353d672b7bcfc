import ipaddr from "ipaddr.js";
import { BoundedMemo } from "../domain/bounded-memo.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Finds out who speaks behind the proxies that the operator trusts. */
export interface ProxyTrust {
  /** Returns the client's address: the last one named in `X-Forwarded-For` that is no trusted proxy itself. */
  clientAddress(peer: string, forwardedFor: string | null): string;
  /** Whether the client's connection is encrypted; only a trusted peer is believed about it. */
  isSecure(peer: string, encrypted: boolean, forwardedProto: string | null): boolean;
}

/** `cidrs` are address ranges in CIDR notation; from anybody else the forwarding headers mean nothing. */
export function proxyTrust(cidrs: readonly string[]): ProxyTrust {
  const ranges = cidrs.map((cidr): Range => ipaddr.parseCIDR(cidr));
  const isTrusted = (address: Address | null) =>
    address !== null && ranges.some((range) => address.kind() === range[0].kind() && address.match(range as never));

  return {
    clientAddress(peer, forwardedFor) {
      if (ranges.length === 0) return plain(peer);
      const chain = [...(forwardedFor?.split(",") ?? []).map(withoutPort), peer];
      let client = plain(peer);
      for (const entry of chain.reverse()) {
        const address = parse(entry);
        if (address === null) break;
        client = address.toString();
        if (!isTrusted(address)) break;
      }
      return client;
    },

    isSecure(peer, encrypted, forwardedProto) {
      if (forwardedProto === null || ranges.length === 0 || !isTrusted(parse(peer))) return encrypted;
      return forwardedProto.trim().toLowerCase() === "https";
    },
  };
}

/** Some proxies name the client's port, too; then IPv6 has brackets: `203.0.113.7:51234`, `[2001:db8::7]:443`. */
const WITH_PORT = /^(?:\[(.+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/;

function withoutPort(entry: string): string {
  const text = entry.trim();
  const [, six, four] = WITH_PORT.exec(text) ?? [];
  return six ?? four ?? text;
}

/** The visitors of a moment come with many requests each. */
const remembered = new BoundedMemo<string, string>(10_000);

/** IPv4 peers arrive as `::ffff:…` on a listener for both families. Parsing costs as much as the rest of an answer. */
function plain(address: string): string {
  return remembered.get(address, () => parse(address)?.toString() ?? address);
}

function parse(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}
