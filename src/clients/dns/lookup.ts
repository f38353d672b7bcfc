import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Dns, DnsResponse, RecordType } from "../../domain/ports/dns.ts";
import { canonicalName, newQuery, RCODE, type Reply } from "./message.ts";
import { exchange, NoReply, type Resolver } from "./transport.ts";

/** Maximum CNAME records to follow; normal names need one or two. */
const MAX_ALIASES = 8;

/**
 * Looks up names at the resolvers that `configured` returns, in order: the next one is used if one does not respond or
 * fails (SERVFAIL, REFUSED, malformed). The absence of a record is confirmed by a second resolver, because the first
 * one may be out of date, and a connected hostname depends on it.
 */
export function resolverDns(configured: () => readonly Resolver[]): Dns {
  return {
    async lookup(name, type, signal) {
      const resolvers = configured();
      const response = await lookUp(resolvers, name, type, signal);
      if (!isAbsence(response)) return response;
      const others = resolvers.slice(resolvers.findIndex((it) => showResolver(it) === response.resolver) + 1);
      const second = others.length > 0 ? await lookUp(others.slice(0, 1), name, type, signal) : response;
      return second.kind === "records" ? second : response;
    },
  };
}

/** Returns the system's name servers; the local one if none is configured, like the C library. */
export function systemResolvers(): Resolver[] {
  let text = "";
  try {
    text = readFileSync("/etc/resolv.conf", "utf8");
  } catch {
    // Without the file, no name server is configured.
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

// --- internal ---

function isAbsence(response: DnsResponse): boolean {
  return response.kind === "nxdomain" || response.kind === "nodata" || response.kind === "chain";
}

async function lookUp(
  resolvers: readonly Resolver[],
  name: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<DnsResponse> {
  let current = canonicalName(name);
  const visited = [current];
  for (;;) {
    const response = await askInTurn(resolvers, current, type, signal);
    if (response.kind !== "reply") return response;
    const { reply, resolver } = response;
    const end = followAliases(current, reply, visited);
    const aliases = visited.slice(1);
    if (end === null) return { kind: "chain", resolver, aliases };
    const values = reply.values.get(end);
    if (values) return { kind: "records", resolver, values, aliases, partial: reply.truncated };
    if (reply.rcode === RCODE.NXDOMAIN) return { kind: "nxdomain", resolver, aliases };
    if (end === current) return { kind: "nodata", resolver, aliases };
    // The server returned only the alias, as non-recursive ones do: look up its target.
    current = end;
  }
}

type Requested = { readonly kind: "reply"; readonly resolver: string; readonly reply: Reply } | DnsResponse;

async function askInTurn(
  resolvers: readonly Resolver[],
  name: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<Requested> {
  let worst: DnsResponse | null = null;
  const silent: string[] = [];
  let why = "none is configured";
  for (const resolver of resolvers) {
    const shown = showResolver(resolver);
    try {
      const reply = await ask(resolver, name, type, signal);
      const problem = problemOf(reply, name);
      if (problem === null) return { kind: "reply", resolver: shown, reply };
      worst = { kind: "failed", resolver: shown, reason: problem };
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      silent.push(shown);
      why = error.message;
    }
  }
  return worst ?? { kind: "silent", resolver: silent.join(", "), reason: why };
}

/** Queries with EDNS, and repeats without it if the server does not support it (RFC 6891, section 7). */
async function ask(resolver: Resolver, name: string, type: RecordType, signal: AbortSignal): Promise<Reply> {
  const reply = await exchange(newQuery(name, type, true), resolver, signal);
  if (reply.rcode !== RCODE.FORMERR && reply.rcode !== RCODE.NOTIMP) return reply;
  return exchange(newQuery(name, type, false), resolver, signal);
}

/** Why a reply is unusable; null if it is usable. */
function problemOf({ rcode, damaged, truncated, aliases, values }: Reply, name: string): string | null {
  if (truncated && rcode === RCODE.NOERROR) {
    return values.has(name) || aliases.has(name) ? null : "too much for UDP, and nothing over TCP";
  }
  if (damaged) return "with a message that cannot be decoded";
  if (rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN) return null;
  return Object.entries(RCODE).find(([, code]) => code === rcode)?.[0] ?? `RCODE ${rcode}`;
}

/**
 * Returns the final target of the aliases within one reply; null if they loop or are too many. Adds them to
 * `visited`, which spans the whole look-up.
 */
function followAliases(start: string, { aliases, values }: Reply, visited: string[]): string | null {
  let name = start;
  for (let next = aliases.get(name); next !== undefined; next = aliases.get(name)) {
    if (values.has(name)) break;
    const endless = visited.includes(next) || visited.length > MAX_ALIASES;
    visited.push(next);
    if (endless) return null;
    name = next;
  }
  return name;
}

function showResolver({ address, port }: Resolver): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Like the C library (resolv.conf(5), MAXNS). */
const MAX_RESOLVERS = 3;
