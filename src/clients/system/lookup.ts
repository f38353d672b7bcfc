import { lookup } from "node:dns/promises";

/** Returns the addresses of a name by the system's own lookup, which includes its hosts file; rejects if there are none. */
export async function systemLookup(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
