import { crc32, deflateRawSync } from "node:zlib";

/** The common fields of local and central headers; each can be falsified in one of the two. */
interface HeaderFields {
  signature: number;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  name: Uint8Array;
  extra: Uint8Array;
}

/** An entry to craft. All fields are optional and correct by default. */
export interface CraftedEntry {
  readonly name?: string | Uint8Array;
  readonly content?: string | Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  /** Overrides the compressed bytes. */
  readonly data?: Uint8Array;
  readonly local?: Partial<HeaderFields>;
  readonly central?: Partial<HeaderFields> & { disk?: number; offset?: number };
  /** Unix mode and type, as written by `zip` on Unix; or the whole field. */
  readonly mode?: number;
  /** The system of `version made by`: by default Unix for entries with a mode, and MS-DOS for others. */
  readonly madeBy?: number;
  readonly attributes?: number;
  readonly descriptor?: Uint8Array | "signed" | "unsigned" | "signed64" | "unsigned64";
  /** Bytes before the local header. */
  readonly gap?: Uint8Array;
  /** Lists the entry twice with the same data, or omits it from the directory. */
  readonly unlisted?: boolean;
}

export interface CraftedEnd {
  readonly prefix?: Uint8Array;
  /** True if offsets include the prefix, as after `zip -A`. */
  readonly adjusted?: boolean;
  /** Between the last entry and the directory, and between the directory and the end record. */
  readonly beforeDirectory?: Uint8Array;
  readonly behindDirectory?: Uint8Array;
  readonly comment?: Uint8Array;
  readonly count?: number;
  readonly diskCount?: number;
  readonly disk?: number;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
  /** Adds ZIP64 records; true for correct ones. */
  readonly zip64?:
    | boolean
    | { count?: number; size?: number; offset?: number; at?: number; length?: number; disks?: number };
  /** With ZIP64: the values of the short record instead of all ones. */
  readonly short?: { count?: number; size?: number; offset?: number };
}

/** Returns a ZIP archive with exactly these entries. */
export function craftZip(entries: readonly CraftedEntry[], end: CraftedEnd = {}): Buffer {
  const parts: Uint8Array[] = [end.prefix ?? new Uint8Array()];
  const base = end.adjusted ? (end.prefix?.length ?? 0) : 0;
  let offset = base;
  const push = (bytes: Uint8Array) => {
    parts.push(bytes);
    offset += bytes.length;
  };
  const central: Uint8Array[] = [];
  for (const entry of entries) {
    const fields = fieldsOf(entry);
    push(entry.gap ?? new Uint8Array());
    const headerAt = offset;
    push(localHeader({ ...fields, ...entry.local }));
    push(fields.data);
    push(descriptor(entry, fields));
    if (!entry.unlisted) central.push(centralHeader({ ...fields, ...entry.central }, entry, headerAt));
  }
  push(end.beforeDirectory ?? new Uint8Array());
  const directory = Buffer.concat(central);
  const at = offset;
  push(directory);
  push(end.behindDirectory ?? new Uint8Array());
  for (const record of endRecords(end, central.length, directory.length, at, offset)) parts.push(record);
  return Buffer.concat(parts);
}

export function extra(id: number, body: Uint8Array): Buffer {
  return Buffer.concat([u16(id), u16(body.length), body]);
}

export const u16 = (value: number) => integer(value, 2);
export const u32 = (value: number) => integer(value, 4);
export const u64 = (value: number) => integer(value, 8);
export const ascii = (text: string) => Buffer.from(text, "latin1");

// --- internal ---

function integer(value: number, bytes: 2 | 4 | 8): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return buffer.subarray(0, bytes);
}

function fieldsOf({ name = "index.html", content = "hello", method = 8, flags = 0, data, ...entry }: CraftedEntry) {
  const bytes = Buffer.from(content as string);
  const compressed = data ?? (method === 8 ? deflateRawSync(bytes) : bytes);
  return {
    signature: 0,
    flags: flags | (entry.descriptor ? 8 : 0),
    method,
    crc: crc32(bytes),
    compressedSize: compressed.length,
    size: bytes.length,
    name: Buffer.from(name as string),
    extra: new Uint8Array(),
    data: compressed,
  };
}

function shared({ flags, method, crc, compressedSize, size, name, extra }: HeaderFields): Buffer {
  return Buffer.concat([
    u16(flags),
    u16(method),
    u16(0),
    u16(33),
    u32(crc),
    u32(compressedSize),
    u32(size),
    u16(name.length),
    u16(extra.length),
  ]);
}

function localHeader(fields: HeaderFields): Buffer {
  return Buffer.concat([u32(fields.signature || 0x04034b50), u16(20), shared(fields), fields.name, fields.extra]);
}

const UNIX = 3;

function centralHeader(
  fields: HeaderFields & { disk?: number; offset?: number },
  { mode, attributes, madeBy = mode === undefined ? 0 : UNIX }: CraftedEntry,
  headerAt: number,
): Buffer {
  return Buffer.concat([
    u32(fields.signature || 0x02014b50),
    u16((madeBy << 8) | 20),
    u16(20),
    shared(fields),
    u16(0),
    u16(fields.disk ?? 0),
    u16(0),
    u32(attributes ?? (mode ?? 0) * 0x10000),
    u32(fields.offset ?? headerAt),
    fields.name,
    fields.extra,
  ]);
}

function descriptor({ descriptor: kind }: CraftedEntry, { crc, compressedSize, size }: HeaderFields): Uint8Array {
  if (kind === undefined || typeof kind !== "string") return kind ?? new Uint8Array();
  const wide = kind.endsWith("64") ? u64 : u32;
  const signature = kind.startsWith("signed") ? u32(0x08074b50) : new Uint8Array();
  return Buffer.concat([signature, u32(crc), wide(compressedSize), wide(size)]);
}

function endRecords(end: CraftedEnd, entries: number, bytes: number, at: number, endAt: number): Buffer[] {
  const count = end.count ?? entries;
  const size = end.directorySize ?? bytes;
  const offset = end.directoryOffset ?? at;
  const comment = end.comment ?? new Uint8Array();
  const short = end.zip64
    ? { count: 0xffff, size: 0xffffffff, offset: 0xffffffff, ...end.short }
    : { count, size, offset };
  const record = Buffer.concat([
    u32(0x06054b50),
    u16(end.disk ?? 0),
    u16(end.disk ?? 0),
    u16(end.diskCount ?? short.count),
    u16(short.count),
    u32(short.size),
    u32(short.offset),
    u16(comment.length),
    comment,
  ]);
  if (!end.zip64) return [record];
  const lies = end.zip64 === true ? {} : end.zip64;
  const wideCount = u64(lies.count ?? count);
  const wide = [
    u16(45),
    u16(45),
    u32(0),
    u32(0),
    wideCount,
    wideCount,
    u64(lies.size ?? size),
    u64(lies.offset ?? offset),
  ];
  const wideRecord = Buffer.concat([u32(0x06064b50), u64(lies.length ?? 44), ...wide]);
  const locator = Buffer.concat([u32(0x07064b50), u32(0), u64(lies.at ?? endAt), u32(lies.disks ?? 1)]);
  return [wideRecord, locator, record];
}
