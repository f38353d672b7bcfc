import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { ArchiveFile } from "./archive-file.ts";
import { uint64 } from "./end-record.ts";
import { decodeName, type EntryName, validateName } from "./name.ts";
import { quoted, refusedArchive, refusedEntry } from "./refusal.ts";

export const STORED = 0;
const DEFLATED = 8;

/** Bits of the general purpose flag (APPNOTE 4.4.4). */
export const HAS_DESCRIPTOR = 1 << 3;
export const IS_UTF8 = 1 << 11;
export const ENCRYPTION = (1 << 0) | (1 << 6) | (1 << 13);
const PATCHED = 1 << 5;

/** An entry of the central directory; sizes in bytes, `headerAt` from the start of the file. */
export interface Entry extends EntryName {
  readonly nameBytes: number;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerAt: number;
  /** True if its name is neither marked nor valid as UTF-8, and was read as code page 437. */
  readonly isGuessed: boolean;
  /** The start of its data; set when the local header is read. */
  dataAt: number;
}

/** The offset of the fields that a central header has in common with the local one. */
const COMMON_AT = 8;

const SIGNATURE = 0x02014b50;
const HEADER_BYTES = 46;
const ALL_ONES = 0xffffffff;

const METHODS: Readonly<Record<number, string>> = {
  9: "Deflate64",
  12: "bzip2",
  14: "LZMA",
  93: "Zstandard",
  95: "XZ",
  98: "PPMd",
};

/** Reads the fields that the central and the local header of an entry have in common, in the same order. */
export function readCommonFields(bytes: Buffer, at: number) {
  return {
    flags: bytes.readUInt16LE(at),
    method: bytes.readUInt16LE(at + 2),
    crc: bytes.readUInt32LE(at + 8),
    compressedSize: bytes.readUInt32LE(at + 12),
    size: bytes.readUInt32LE(at + 16),
    nameBytes: bytes.readUInt16LE(at + 20),
    extraBytes: bytes.readUInt16LE(at + 22),
  };
}

/** Reads and validates the central header at an offset, and returns the offset of the next one. */
export function readEntry(file: ArchiveFile, at: number, end: number, shift: number): { entry: Entry; next: number } {
  if (at + HEADER_BYTES > end) throw refusedArchive("it lists fewer entries than it claims: it is damaged");
  const { bytes } = file;
  const header = file.seek(at, HEADER_BYTES);
  if (bytes.readUInt32LE(header) !== SIGNATURE) throw refusedArchive("its list of entries is damaged: create it again");
  const common = readCommonFields(bytes, header + COMMON_AT);
  const { nameBytes, extraBytes } = common;
  const next = at + HEADER_BYTES + nameBytes + extraBytes + bytes.readUInt16LE(header + 32);
  if (next > end) throw refusedArchive("its list of entries is damaged: create it again");
  const fixed = {
    ...common,
    madeBy: bytes.readUInt8(header + 5),
    disk: bytes.readUInt16LE(header + 34),
    attributes: bytes.readUInt32LE(header + 38),
    offset: bytes.readUInt32LE(header + 42),
  };

  const nameAt = file.seek(at + HEADER_BYTES, nameBytes + extraBytes);
  const nameEnd = nameAt + nameBytes;
  const isFlagged = (fixed.flags & IS_UTF8) !== 0;
  const entryName = validateName(decodeName(bytes, nameAt, nameEnd, isFlagged), fixed.madeBy);
  const { name, path, folder } = entryName;
  const extra = readExtraFields(bytes, nameEnd, nameEnd + extraBytes, name);
  validateUnicodePath(extra, name, () => bytes.subarray(nameAt, nameEnd));
  validateType(entryName, fixed.attributes, extra);
  validateMethod(name, fixed.flags, fixed.method);
  const { flags, method, crc, compressedSize, size, disk, offset } = widen(name, fixed, extra.zip64);
  if (disk !== 0) throw refusedEntry(name, "is in another part of a split archive: create it in one piece");
  const isGuessed = !isFlagged && !isUtf8(bytes.subarray(nameAt, nameEnd));
  const headerAt = offset + shift;
  const content = { flags, method, crc, compressedSize, size };
  const entry: Entry = { name, path, folder, nameBytes, isGuessed, ...content, headerAt, dataAt: 0 };
  validateSizes(entry);
  return { entry, next };
}

/** Replaces each field that is all ones by its 64-bit value from the ZIP64 extra field (APPNOTE 4.5.3). */
function widen<T extends { size: number; compressedSize: number; offset: number; disk: number }>(
  name: string,
  fixed: T,
  zip64: Buffer | null,
): T {
  const { size, compressedSize, offset, disk } = fixed;
  if (size !== ALL_ONES && compressedSize !== ALL_ONES && offset !== ALL_ONES && disk !== 0xffff) return fixed;
  const wide = { ...fixed };
  let at = 0;
  const take = (bytes: 4 | 8) => {
    if (!zip64 || at + bytes > zip64.length)
      throw refusedEntry(name, "lacks a part of its ZIP64 sizes: create the archive again");
    at += bytes;
    return bytes === 8 ? uint64(zip64, at - 8) : zip64.readUInt32LE(at - 4);
  };
  if (size === ALL_ONES) wide.size = take(8);
  if (compressedSize === ALL_ONES) wide.compressedSize = take(8);
  if (offset === ALL_ONES) wide.offset = take(8);
  if (disk === 0xffff) wide.disk = take(4);
  return wide;
}

/** Only files and folders are allowed: links, devices, pipes and sockets are refused, of any system. */
function validateType({ name, folder }: EntryName, attributes: number, { linkMode }: ExtraFields): void {
  const isLink = ((attributes >>> 28) & 0xf) === 0xa || linkMode >>> 12 === 0xa;
  if (isLink) throw refusedEntry(name, "is a symbolic link: archive the file that it points to");
  switch (attributes >>> 28) {
    case 0x0:
    case 0x8:
      if ((attributes & 0x10) === 0 || folder) return;
      break;
    case 0x4:
      if (folder) return;
      break;
    default:
      throw refusedEntry(name, "is a device, a pipe or a socket: leave it out");
  }
  throw refusedEntry(name, "is marked as a folder but named like a file: create the archive again");
}

function validateMethod(name: string, flags: number, method: number): void {
  if (flags & ENCRYPTION || method === 99) {
    throw refusedEntry(name, "is encrypted: create the archive without a password");
  }
  if (flags & PATCHED) throw refusedEntry(name, "is a patch of another file: archive the file itself");
  if (method === STORED || method === DEFLATED) return;
  const known = METHODS[method];
  throw refusedEntry(
    name,
    `is compressed by ${known ?? `an unknown method (${method})`}: use the usual one (deflate) or none`,
  );
}

function validateSizes({ name, folder, method, size, compressedSize }: Entry): void {
  // Some programs store two bytes of deflated empty data for a folder.
  if (folder && (size !== 0 || compressedSize > 2)) throw refusedEntry(name, "is a folder that holds data");
  if (method === STORED && size !== compressedSize) throw refusedEntry(name, "is stored with two different sizes");
}

const ZIP64 = 0x0001;
const UNICODE_PATH = 0x7075;
const ASI_UNIX = 0x756e;

/** The relevant extra fields of a header; others, such as times and owners, are ignored. */
interface ExtraFields {
  readonly zip64: Buffer | null;
  /** The Info-ZIP Unicode path, which many programs use instead of the name, and the checksum of the name. */
  readonly unicodePath: { readonly name: Buffer; readonly nameCrc: number } | null;
  readonly linkMode: number;
}

const NOTHING: ExtraFields = { zip64: null, unicodePath: null, linkMode: 0 };

/** Reads the extra fields of the entry `name`. Up to three bytes of padding at the end are common and accepted. */
export function readExtraFields(bytes: Buffer, start: number, end: number, name: string): ExtraFields {
  let fields = NOTHING;
  for (let at = start; at + 4 <= end; ) {
    const id = bytes.readUInt16LE(at);
    const next = at + 4 + bytes.readUInt16LE(at + 2);
    if (next > end) throw refusedEntry(name, "has a damaged header: create the archive again");
    if (id === ZIP64 || id === UNICODE_PATH || id === ASI_UNIX) {
      fields = withField(fields, id, bytes.subarray(at + 4, next), name);
    }
    at = next;
  }
  return fields;
}

function withField(fields: ExtraFields, id: number, body: Buffer, name: string): ExtraFields {
  if (id === ZIP64) {
    if (fields.zip64) throw refusedEntry(name, "states its size twice: create the archive again");
    return { ...fields, zip64: body };
  }
  if (id === UNICODE_PATH && body.length >= 5 && body[0] === 1) {
    return { ...fields, unicodePath: { name: body.subarray(5), nameCrc: body.readUInt32LE(1) } };
  }
  return id === ASI_UNIX && body.length >= 6 ? { ...fields, linkMode: body.readUInt16LE(4) } : fields;
}

/**
 * Refuses an entry whose Unicode path differs from its name, because many programs would use it instead.
 * The field is invalid if its checksum is not that of the name.
 */
function validateUnicodePath({ unicodePath }: ExtraFields, name: string, nameBytes: () => Buffer): void {
  if (!unicodePath || unicodePath.nameCrc !== crc32(nameBytes())) return;
  const other = decodeName(unicodePath.name, 0, unicodePath.name.length, true);
  if (other === name) return;
  throw refusedEntry(name, `is also called ${quoted(other)}: create the archive with UTF-8 names`);
}
