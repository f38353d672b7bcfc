import dns2 from "dns2";
import ipaddr from "ipaddr.js";
import type { RecordType } from "../../domain/ports/dns.ts";

const { Packet } = dns2;

/** A query in wire format. */
export interface Query {
  readonly id: number;
  readonly name: string;
  readonly type: RecordType;
  readonly bytes: Buffer;
}

/** The relevant parts of a valid reply. */
export interface Reply {
  readonly truncated: boolean;
  readonly rcode: number;
  /** Owner to target, in lower case. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Owner to values of the requested type. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** True if a part of the answer was malformed. */
  readonly damaged: boolean;
}

export const RCODE = Packet.RCODE;

/** A random ID, recursion desired and, by EDNS (RFC 6891), replies of 4 kB over UDP. */
export function newQuery(name: string, type: RecordType, withEdns: boolean): Query {
  const packet = new Packet();
  const [id = 0] = crypto.getRandomValues(new Uint16Array(1));
  packet.header = new Packet.Header({ id, rd: 1 });
  packet.questions.push(new Packet.Question(name, Packet.TYPE[type], Packet.CLASS.IN));
  if (withEdns) packet.additionals.push(Packet.Resource.EDNS([], { udpPayloadSize: 4096 }));
  return { id, name, type, bytes: packet.toBuffer() };
}

/**
 * Returns the reply if it answers this query: ID, question and direction must match. Null for anything else,
 * such as forgeries and answers to other queries, which dns2's own client would accept.
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

/** A server that could not parse the query may omit the question in its error. */
function asksTheSame({ questions, header }: InstanceType<typeof Packet>, query: Query): boolean {
  const [question] = questions;
  if (question === undefined) return header.rcode === RCODE.FORMERR || header.rcode === RCODE.NOTIMP;
  const sameName = canonicalName(question.name) === canonicalName(query.name);
  const sameType = question.type === Packet.TYPE[query.type] && question.class === Packet.CLASS.IN;
  return questions.length === 1 && sameName && sameType;
}

/** Decodes the message up to its questions; null if that fails. */
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

/** Normalizes an IP address: IPv6 as in RFC 5952. */
export function canonicalAddress(address: string): string {
  return ipaddr.parse(address).toString();
}

/** One record of a message with undecoded data. */
interface RawRecord {
  /** In lower case. */
  readonly owner: string;
  readonly type: number;
  readonly class: number;
  readonly start: number;
  readonly end: number;
}

const HEADER_OCTETS = 12;
const MAX_NAME_OCTETS = 255;

/**
 * Reads names and records of a DNS message (RFC 1035, section 4.1). dns2's own decoder reads bit by bit and
 * decompresses each owner name again: half a second for the four thousand records that an attacker can publish.
 * Throws RangeError for a malformed message.
 */
class MessageReader {
  private readonly names = new Map<number, string>();

  constructor(private readonly bytes: Buffer) {}

  /** Yields the records of the answer section. */
  *answers(): Generator<RawRecord> {
    const { bytes } = this;
    let at = HEADER_OCTETS;
    for (let questions = bytes.readUInt16BE(4); questions > 0; questions--) at = this.skipName(at) + 4;
    for (let answers = bytes.readUInt16BE(6); answers > 0; answers--) {
      const owner = this.name(at);
      const fixed = this.skipName(at);
      const start = fixed + 10;
      const end = start + bytes.readUInt16BE(fixed + 8);
      if (end > bytes.length) throw new RangeError("a record ends behind the message");
      yield { owner, type: bytes.readUInt16BE(fixed), class: bytes.readUInt16BE(fixed + 2), start, end };
      at = end;
    }
  }

  /** Returns the concatenated character strings of a TXT record. */
  text({ start, end }: RawRecord): string {
    const parts: Buffer[] = [];
    for (let at = start; at < end; ) {
      const next = at + 1 + (this.bytes[at] as number);
      if (next > end) throw new RangeError("a character string ends behind its record");
      parts.push(this.bytes.subarray(at + 1, next));
      at = next;
    }
    return Buffer.concat(parts).toString("utf8");
  }

  octets({ start, end }: RawRecord): Buffer {
    return this.bytes.subarray(start, end);
  }

  /** Returns the name at an offset, decompressed and in lower case. */
  name(offset: number): string {
    const known = this.names.get(offset);
    if (known !== undefined) return known;
    const labels: string[] = [];
    let octets = 1;
    let at = offset;
    for (let length = this.bytes.readUInt8(at); length !== 0; length = this.bytes.readUInt8(at)) {
      if (length >= 0xc0) {
        const target = this.bytes.readUInt16BE(at) & 0x3fff;
        // A pointer must point backwards (RFC 1035, section 4.1.4), which also prevents loops.
        if (target >= at) throw new RangeError("a compression pointer leads forward");
        at = target;
        continue;
      }
      octets += length + 1;
      if (length > 63 || octets > MAX_NAME_OCTETS) throw new RangeError("a name is too long");
      labels.push(this.bytes.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join(".").toLowerCase();
    this.names.set(offset, name);
    return name;
  }

  /** Returns the offset after a name. A compression pointer ends it. */
  private skipName(offset: number): number {
    let at = offset;
    for (let length = this.bytes.readUInt8(at); length !== 0; length = this.bytes.readUInt8(at)) {
      if (length >= 0xc0) return at + 2;
      at += length + 1;
    }
    return at + 1;
  }
}
