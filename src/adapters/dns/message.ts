import dns2 from "dns2";
import ipaddr from "ipaddr.js";
import type { RecordType } from "../../domain/ports/dns.ts";

const { Packet } = dns2;

/** What is asked, in the form that goes over the wire. */
export interface Query {
  readonly id: number;
  readonly name: string;
  readonly type: RecordType;
  readonly bytes: Buffer;
}

/** A reply that belongs to its query, reduced to what matters here. */
export interface Reply {
  readonly truncated: boolean;
  readonly rcode: number;
  /** Owner to target, in lower case. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Owner to values of the type asked for. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Whether a part of the answer could not be decoded. */
  readonly damaged: boolean;
}

export const RCODE = Packet.RCODE;

/** An unpredictable id, recursion wanted and, by EDNS (RFC 6891), answers of 4 kB over UDP. */
export function newQuery(name: string, type: RecordType, withEdns: boolean): Query {
  const packet = new Packet();
  const [id = 0] = crypto.getRandomValues(new Uint16Array(1));
  packet.header = new Packet.Header({ id, rd: 1 });
  packet.questions.push(new Packet.Question(name, Packet.TYPE[type], Packet.CLASS.IN));
  if (withEdns) packet.additionals.push(Packet.Resource.EDNS([], { udpPayloadSize: 4096 }));
  return { id, name, type, bytes: packet.toBuffer() };
}

/**
 * Returns the reply if it answers this very query: id, question and direction must match. Null for anything else:
 * noise, a forgery or an answer to another question, which dns2's own client would take for ours.
 */
export function readReply(query: Query, bytes: Buffer): Reply | null {
  let packet: InstanceType<typeof Packet>;
  try {
    packet = Packet.parse(bytes);
  } catch {
    return null;
  }
  if (packet.header.id !== query.id || packet.header.qr !== 1 || !asksTheSame(packet, query)) return null;
  const aliases = new Map<string, string>();
  const values = new Map<string, string[]>();
  for (const record of packet.answers) {
    if (record.class !== Packet.CLASS.IN) continue;
    const owner = canonicalName(record.name);
    if (record.type === Packet.TYPE.CNAME && record.domain !== undefined) {
      if (!aliases.has(owner)) aliases.set(owner, canonicalName(record.domain));
    } else if (record.type === Packet.TYPE[query.type]) {
      const value = recordValue(query.type, record);
      const known = values.get(owner);
      if (value !== null && known) known.push(value);
      else if (value !== null) values.set(owner, [value]);
    }
  }
  const damaged = packet.errors.some((error) => error.section !== "authorities" && error.section !== "additionals");
  return { truncated: packet.header.tc === 1, rcode: packet.header.rcode, aliases, values, damaged };
}

export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

// --- internal ---

/** A server that understood nothing of a query may leave the question out of its refusal. */
function asksTheSame({ questions, header }: InstanceType<typeof Packet>, query: Query): boolean {
  const [question] = questions;
  if (question === undefined) return header.rcode === RCODE.FORMERR || header.rcode === RCODE.NOTIMP;
  const sameName = canonicalName(question.name) === canonicalName(query.name);
  const sameType = question.type === Packet.TYPE[query.type] && question.class === Packet.CLASS.IN;
  return questions.length === 1 && sameName && sameType;
}

function recordValue(type: RecordType, record: { address?: string; data?: unknown }): string | null {
  if (type === "TXT") {
    const { data } = record;
    return Array.isArray(data) ? data.join("") : typeof data === "string" ? data : null;
  }
  const { address } = record;
  return address !== undefined && ipaddr.isValid(address) ? canonicalAddress(address) : null;
}

/** Returns an address as it is compared everywhere: IPv6 as in RFC 5952. */
export function canonicalAddress(address: string): string {
  return ipaddr.parse(address).toString();
}
