import type { Dns, DnsAnswer, RecordType } from "../../domain/ports/dns.ts";
import { canonicalName, newQuery, RCODE, type Reply } from "./message.ts";
import { exchange, NoReply, type Resolver } from "./transport.ts";

/** CNAME records that are followed; honest names need one or two. */
const MAX_ALIASES = 8;

/**
 * Looks names up at the resolvers that `configured` returns at that moment, in order: the next one is asked where one is
 * silent or fails (SERVFAIL, REFUSED, nonsense). That something is not there counts once a second resolver does not know
 * it either: the first may be out of date, or wrong, and a connected name hangs on it.
 */
export function resolverDns(configured: () => readonly Resolver[]): Dns {
  return {
    async lookup(name, type, signal) {
      const resolvers = configured();
      const answer = await lookUp(resolvers, name, type, signal);
      if (!isAbsence(answer)) return answer;
      const others = resolvers.slice(resolvers.findIndex((it) => showResolver(it) === answer.resolver) + 1);
      const second = others.length > 0 ? await lookUp(others.slice(0, 1), name, type, signal) : answer;
      return second.kind === "records" ? second : answer;
    },
  };
}

// --- internal ---

function isAbsence(answer: DnsAnswer): boolean {
  return answer.kind === "nxdomain" || answer.kind === "nodata" || answer.kind === "chain";
}

async function lookUp(
  resolvers: readonly Resolver[],
  name: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  let current = canonicalName(name);
  const visited = [current];
  for (;;) {
    const answer = await askInTurn(resolvers, current, type, signal);
    if (answer.kind !== "reply") return answer;
    const { reply, resolver } = answer;
    const end = followAliases(current, reply, visited);
    const aliases = visited.slice(1);
    if (end === null) return { kind: "chain", resolver, aliases };
    const values = reply.values.get(end);
    if (values) return { kind: "records", resolver, values, aliases, partial: reply.truncated };
    if (reply.rcode === RCODE.NXDOMAIN) return { kind: "nxdomain", resolver, aliases };
    if (end === current) return { kind: "nodata", resolver, aliases };
    // The server told of the alias only, as one that is not recursive does: ask for its target.
    current = end;
  }
}

type Asked = { readonly kind: "reply"; readonly resolver: string; readonly reply: Reply } | DnsAnswer;

async function askInTurn(
  resolvers: readonly Resolver[],
  name: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<Asked> {
  let worst: DnsAnswer | null = null;
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

/** Asks with EDNS, and without it a server that stumbles over it (RFC 6891, section 7). */
async function ask(resolver: Resolver, name: string, type: RecordType, signal: AbortSignal): Promise<Reply> {
  const reply = await exchange(newQuery(name, type, true), resolver, signal);
  if (reply.rcode !== RCODE.FORMERR && reply.rcode !== RCODE.NOTIMP) return reply;
  return exchange(newQuery(name, type, false), resolver, signal);
}

/** Why a reply says nothing of the name; null when it does. */
function problemOf({ rcode, damaged, truncated, aliases, values }: Reply, name: string): string | null {
  if (truncated && rcode === RCODE.NOERROR) {
    return values.has(name) || aliases.has(name) ? null : "too much for UDP, and nothing over TCP";
  }
  if (damaged) return "with a message that cannot be decoded";
  if (rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN) return null;
  return Object.entries(RCODE).find(([, code]) => code === rcode)?.[0] ?? `RCODE ${rcode}`;
}

/**
 * Returns the name that the aliases within one reply lead to; null when they lead in a circle or too far. Adds them to
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
