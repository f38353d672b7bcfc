import type { Question } from "./zone.ts";

/** A question about one name takes 272 bytes and EDNS 11; options of EDNS may come on top. */
export const MAX_QUERY_BYTES = 512;

/** RFC 1035 section 4.2.1: what everybody takes over UDP. */
export const MIN_PAYLOAD_SIZE = 512;
/** What passes everywhere in one piece (DNS flag day 2020), and too little to make the responder an amplifier. */
const MAX_PAYLOAD_SIZE = 1232;

/** What the responder needs to know of a message. */
export interface Query {
  readonly id: number;
  readonly opcode: number;
  readonly recursionDesired: boolean;
  /** Null where the message does not hold exactly one, or is no standard query. */
  readonly question: Question | null;
  /** How many bytes the asker takes over UDP; null for one that does not speak EDNS (RFC 6891). */
  readonly payloadSize: number | null;
}

const HEADER_BYTES = 12;
const IS_RESPONSE = 0x8000;
const RECURSION_DESIRED = 0x0100;
const STANDARD_QUERY = 0;
const OPT = 41;

/**
 * Reads the header and the one question of a query, and nothing of what follows but whether EDNS is spoken: a message may
 * hold thousands of records and compression pointers, and decoding them takes a third of a second. Returns null for
 * whatever gets no answer: an answer, a message that is too long, and one that cannot be read.
 */
export function readQuery(bytes: Buffer): Query | null {
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_QUERY_BYTES) return null;
  const flags = bytes.readUInt16BE(2);
  // An answer is never answered: two responders would go on for ever.
  if (flags & IS_RESPONSE) return null;
  const opcode = (flags >> 11) & 0xf;
  const base = { id: bytes.readUInt16BE(0), opcode, recursionDesired: (flags & RECURSION_DESIRED) !== 0 };
  if (opcode !== STANDARD_QUERY || bytes.readUInt16BE(4) !== 1) return { ...base, question: null, payloadSize: null };
  const name = readName(bytes);
  if (name === null || name.end + 4 > bytes.length) return null;
  const question = { name: name.text, type: bytes.readUInt16BE(name.end), class: bytes.readUInt16BE(name.end + 2) };
  return { ...base, question, payloadSize: readPayloadSize(bytes, name.end + 4) };
}

// --- internal ---

/** RFC 1035 section 2.3.4, the length octets and the root's included. */
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;
/** What a hostname or an underscored name can hold, and a bit more; a dot would make one label two. */
const LABEL = /^[!-\-/-~]+$/;

/** A question has nothing before it that a compression pointer could mean: a length beyond a label's is refused. */
function readName(bytes: Buffer): { readonly text: string; readonly end: number } | null {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (at < bytes.length) {
    const length = bytes.readUInt8(at);
    if (length === 0) return { text: labels.join("."), end: at + 1 };
    const next = at + 1 + length;
    if (length > MAX_LABEL_BYTES || next - HEADER_BYTES >= MAX_NAME_BYTES) return null;
    const label = bytes.toString("latin1", at + 1, next);
    if (!LABEL.test(label)) return null;
    labels.push(label);
    at = next;
  }
  return null;
}

/** EDNS is a record of the root that comes first where it comes at all; any other place is taken for none. */
function readPayloadSize(bytes: Buffer, at: number): number | null {
  const hasOnlyAdditional = bytes.readUInt32BE(6) === 0 && bytes.readUInt16BE(10) > 0;
  if (!hasOnlyAdditional || at + 5 > bytes.length) return null;
  if (bytes[at] !== 0 || bytes.readUInt16BE(at + 1) !== OPT) return null;
  return Math.min(Math.max(bytes.readUInt16BE(at + 3), MIN_PAYLOAD_SIZE), MAX_PAYLOAD_SIZE);
}
