import type { Question } from "./zone.ts";

/** A question needs up to 272 bytes and EDNS 11, plus options. */
export const MAX_QUERY_BYTES = 512;

/** RFC 1035 section 4.2.1: the maximum over UDP without EDNS. */
export const MIN_PAYLOAD_SIZE = 512;
/** Not fragmented anywhere (DNS flag day 2020), and too small for amplification. */
const MAX_PAYLOAD_SIZE = 1232;

export interface Query {
  readonly id: number;
  readonly opcode: number;
  readonly recursionDesired: boolean;
  /** Null unless the message is a standard query with exactly one question. */
  readonly question: Question | null;
  /** The client's UDP payload size; null without EDNS (RFC 6891). */
  readonly payloadSize: number | null;
}

const HEADER_BYTES = 12;
const IS_RESPONSE = 0x8000;
const RECURSION_DESIRED = 0x0100;
const STANDARD_QUERY = 0;
const OPT = 41;

/**
 * Reads the header and the question of a query, and then only whether it uses EDNS: a message may
 * contain thousands of records and compression pointers, which take a third of a second to decode. Returns null for
 * messages without an answer: responses, messages that are too long, and malformed ones.
 */
export function readQuery(bytes: Buffer): Query | null {
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_QUERY_BYTES) return null;
  const flags = bytes.readUInt16BE(2);
  // Responses are never answered, because two responders would loop forever.
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

/** RFC 1035 section 2.3.4, including the length octets and the root's. */
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;
/** Characters of hostnames and underscored names, and some more, but no dot, which would split the label. */
const LABEL = /^[!-\-/-~]+$/;

/** Refuses compression pointers: in the question there is nothing before them to point to. */
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

/** The EDNS record must come first; otherwise it is ignored. */
function readPayloadSize(bytes: Buffer, at: number): number | null {
  const hasOnlyAdditional = bytes.readUInt32BE(6) === 0 && bytes.readUInt16BE(10) > 0;
  if (!hasOnlyAdditional || at + 5 > bytes.length) return null;
  if (bytes[at] !== 0 || bytes.readUInt16BE(at + 1) !== OPT) return null;
  return Math.min(Math.max(bytes.readUInt16BE(at + 3), MIN_PAYLOAD_SIZE), MAX_PAYLOAD_SIZE);
}
