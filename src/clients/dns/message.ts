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
  const reader = new MessageReader(bytes);
  const head = unlessDamaged(() => reader.head());
  if (head === null || head.id !== query.id || !head.isResponse || !asksTheSame(head, query)) return null;
  return { truncated: head.isTruncated, rcode: head.rcode, ...readAnswers(query.type, reader, head) };
}

export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** Normalizes an IP address: IPv6 as in RFC 5952. */
export function canonicalAddress(address: string): string {
  return ipaddr.parse(address).toString();
}

// --- internal ---

/** A server that could not parse the query may omit the question in its error. */
function asksTheSame({ question, rcode }: Head, query: Query): boolean {
  if (question === null) return rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP;
  const sameType = question.type === Packet.TYPE[query.type] && question.class === Packet.CLASS.IN;
  return sameType && question.name === canonicalName(query.name);
}

function readAnswers(
  type: RecordType,
  reader: MessageReader,
  head: Head,
): Pick<Reply, "aliases" | "values" | "damaged"> {
  const aliases = new Map<string, string>();
  const values = new Map<string, string[]>();
  const isWhole = unlessDamaged(() => {
    for (const record of reader.answers(head)) {
      if (record.class !== Packet.CLASS.IN) continue;
      if (record.type === Packet.TYPE.CNAME && !aliases.has(record.owner)) {
        aliases.set(record.owner, reader.name(record.start));
      } else if (record.type === Packet.TYPE[type]) {
        const known = values.get(record.owner) ?? [];
        known.push(type === "TXT" ? reader.text(record) : addressOf(type, reader.octets(record)));
        values.set(record.owner, known);
      }
    }
    return true;
  });
  return { aliases, values, damaged: isWhole === null };
}

/** Returns what `read` returns; null if the message is malformed there. */
function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function addressOf(type: "A" | "AAAA", octets: Buffer): string {
  if (octets.length !== (type === "A" ? 4 : 16)) throw new RangeError("an address of another length");
  return ipaddr.fromByteArray([...octets]).toString();
}

/** The header and the question of a message. */
interface Head {
  readonly id: number;
  readonly isResponse: boolean;
  readonly isTruncated: boolean;
  readonly rcode: number;
  /** Null if the message has none. The name is in lower case. */
  readonly question: { readonly name: string; readonly type: number; readonly class: number } | null;
  /** The number of announced answers. */
  readonly answers: number;
  /** The offset of the answer section. */
  readonly end: number;
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

/** The name at an offset, and what it takes to read it. */
interface Name {
  /** In lower case, without the final dot. */
  readonly text: string;
  readonly octets: number;
  readonly pointers: number;
  /** The offset after it; a compression pointer ends it. */
  readonly end: number;
}

const HEADER_OCTETS = 12;
const IS_RESPONSE = 0x8000;
const IS_TRUNCATED = 0x0200;
const RCODE_MASK = 0xf;

const MAX_NAME_OCTETS = 255;
/** As many as a name can have labels. No server needs more than one. */
const MAX_POINTERS = 127;
const MAX_PARTS = 127 + MAX_POINTERS;

/**
 * Reads names and records of a DNS message (RFC 1035, section 4.1). dns2's own decoder reads bit by bit and
 * decompresses each owner name again: half a second for the four thousand records that an attacker can publish. Here
 * each part of a name is read once, whatever refers to it. Throws RangeError for a malformed message.
 */
class MessageReader {
  private readonly names = new Map<number, Name>();

  constructor(private readonly bytes: Buffer) {}

  /** Reads the header and the question. No server answers a message with several questions. */
  head(): Head {
    const { bytes } = this;
    const flags = bytes.readUInt16BE(2);
    const questions = bytes.readUInt16BE(4);
    if (questions > 1) throw new RangeError("a reply has several questions");
    const name = questions === 0 ? null : this.nameAt(HEADER_OCTETS);
    return {
      id: bytes.readUInt16BE(0),
      isResponse: (flags & IS_RESPONSE) !== 0,
      isTruncated: (flags & IS_TRUNCATED) !== 0,
      rcode: flags & RCODE_MASK,
      question: name && {
        name: name.text,
        type: bytes.readUInt16BE(name.end),
        class: bytes.readUInt16BE(name.end + 2),
      },
      answers: bytes.readUInt16BE(6),
      end: name ? name.end + 4 : HEADER_OCTETS,
    };
  }

  /** Yields the records of the answer section. */
  *answers(head: Head): Generator<RawRecord> {
    const { bytes } = this;
    let at = head.end;
    for (let answers = head.answers; answers > 0; answers--) {
      const owner = this.nameAt(at);
      const start = owner.end + 10;
      const end = start + bytes.readUInt16BE(owner.end + 8);
      if (end > bytes.length) throw new RangeError("a record ends behind the message");
      const [type, classNumber] = [bytes.readUInt16BE(owner.end), bytes.readUInt16BE(owner.end + 2)];
      yield { owner: owner.text, type, class: classNumber, start, end };
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
    return this.nameAt(offset).text;
  }

  /** `parts`: the labels and pointers that precede this one in the name that is being read. */
  private nameAt(offset: number, parts = 0): Name {
    const known = this.names.get(offset);
    if (known !== undefined) return known;
    if (parts > MAX_PARTS) throw new RangeError("a name has too many parts");
    const name = this.readName(offset, parts + 1);
    if (name.octets > MAX_NAME_OCTETS) throw new RangeError("a name is too long");
    if (name.pointers > MAX_POINTERS) throw new RangeError("a name has too many compression pointers");
    this.names.set(offset, name);
    return name;
  }

  private readName(offset: number, parts: number): Name {
    const { bytes } = this;
    const length = bytes.readUInt8(offset);
    if (length === 0) return { text: "", octets: 1, pointers: 0, end: offset + 1 };
    if (length >= 0xc0) {
      const target = bytes.readUInt16BE(offset) & 0x3fff;
      // A pointer must point backwards (RFC 1035, section 4.1.4), which also prevents loops.
      if (target >= offset) throw new RangeError("a compression pointer leads forward");
      const { text, octets, pointers } = this.nameAt(target, parts);
      return { text, octets, pointers: pointers + 1, end: offset + 2 };
    }
    if (length > 63) throw new RangeError("a label is of an unknown kind");
    const next = offset + 1 + length;
    const label = bytes.toString("latin1", offset + 1, next).toLowerCase();
    const rest = this.nameAt(next, parts);
    return { ...rest, text: rest.text === "" ? label : `${label}.${rest.text}`, octets: rest.octets + length + 1 };
  }
}
