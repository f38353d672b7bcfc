/** One record of a message, its data not yet read. */
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
 * Reads names and records of one DNS message (RFC 1035, section 4.1). dns2's own decoder takes every octet bit by bit and
 * decompresses each owner name anew: half a second for the four thousand records that an attacker can publish.
 * Throws RangeError for a message that is not well formed.
 */
export class MessageReader {
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

  /** Returns the character strings of a TXT record as one text. */
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

  /** Returns the name that begins at an offset, decompressed and in lower case. */
  name(offset: number): string {
    const known = this.names.get(offset);
    if (known !== undefined) return known;
    const labels: string[] = [];
    let octets = 1;
    let at = offset;
    for (let length = this.bytes.readUInt8(at); length !== 0; length = this.bytes.readUInt8(at)) {
      if (length >= 0xc0) {
        const target = this.bytes.readUInt16BE(at) & 0x3fff;
        // A pointer leads to a prior place (RFC 1035, section 4.1.4): what leads elsewhere could lead round in a circle.
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

  /** Returns the offset behind a name: a compression pointer is its last part. */
  private skipName(offset: number): number {
    let at = offset;
    for (let length = this.bytes.readUInt8(at); length !== 0; length = this.bytes.readUInt8(at)) {
      if (length >= 0xc0) return at + 2;
      at += length + 1;
    }
    return at + 1;
  }
}
