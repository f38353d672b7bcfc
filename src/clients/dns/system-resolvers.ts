import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Resolver } from "./transport.ts";

/** As many as the C library uses (resolv.conf(5), MAXNS). */
const MAX_RESOLVERS = 3;

/** Returns the name servers that the system uses; the local one where none is named, as the C library does. */
export function systemResolvers(file = "/etc/resolv.conf"): Resolver[] {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // No such file is no name server named.
  }
  const resolvers = parseResolvConf(text);
  return resolvers.length > 0 ? resolvers : [{ address: "127.0.0.1", port: 53 }];
}

export function parseResolvConf(text: string): Resolver[] {
  const addresses = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] as string);
  return addresses
    .filter((address) => isIP(address.replace(/%.*$/, "")) !== 0)
    .slice(0, MAX_RESOLVERS)
    .map((address) => ({ address, port: 53 }));
}
