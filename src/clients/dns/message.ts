import dns2 from "dns2";
import ipaddr from "ipaddr.js";
import type { RecordType } from "../../domain/ports/dns.ts";
import { MessageReader } from "./answer-section.ts";

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
  const packet = parseQuestions(bytes);
  if (packet === null || packet.header.id !== query.id || packet.header.qr !== 1) return null;
  if (!asksTheSame(packet, query)) return null;
  return { truncated: packet.header.tc === 1, rcode: packet.header.rcode, ...readAnswers(query.type, bytes) };
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

/** Decodes the message as if it ended behind its questions; null when there is not even that. */
function parseQuestions(bytes: Buffer): InstanceType<typeof Packet> | null {
  if (bytes.length < Packet.HEADER_SIZE) return null;
  const head = Buffer.from(bytes);
  head.fill(0, 6, Packet.HEADER_SIZE);
  return Packet.parse(head);
}

function readAnswers(type: RecordType, bytes: Buffer): Pick<Reply, "aliases" | "values" | "damaged"> {
  const aliases = new Map<string, string>();
  const values = new Map<string, string[]>();
  const reader = new MessageReader(bytes);
  try {
    for (const record of reader.answers()) {
      if (record.class !== Packet.CLASS.IN) continue;
      if (record.type === Packet.TYPE.CNAME && !aliases.has(record.owner)) {
        aliases.set(record.owner, reader.name(record.start));
      } else if (record.type === Packet.TYPE[type]) {
        const known = values.get(record.owner) ?? [];
        known.push(type === "TXT" ? reader.text(record) : addressOf(type, reader.octets(record)));
        values.set(record.owner, known);
      }
    }
    return { aliases, values, damaged: false };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { aliases, values, damaged: true };
  }
}

function addressOf(type: "A" | "AAAA", octets: Buffer): string {
  if (octets.length !== (type === "A" ? 4 : 16)) throw new RangeError("an address of another length");
  return ipaddr.fromByteArray([...octets]).toString();
}

/** Returns an address as it is compared everywhere: IPv6 as in RFC 5952. */
export function canonicalAddress(address: string): string {
  return ipaddr.parse(address).toString();
}
