import type { ArchiveFile } from "./archive-file.ts";
import { type DirectoryLocation, uint64 } from "./end-record.ts";
import { ENCRYPTION, type Entry, HAS_DESCRIPTOR, IS_UTF8, readCommonFields, readExtraFields } from "./entry.ts";
import { decodeName } from "./name.ts";
import { quoted, refusedArchive, refusedEntry } from "./refusal.ts";

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_SIGNATURE_BYTES = Buffer.from("PK\x03\x04", "latin1");
const LOCAL_BYTES = 30;
/** The offset of the fields that a local header has in common with the central one. */
const COMMON_AT = 6;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const ALL_ONES = 0xffffffff;

/**
 * Validates the layout: each local header equals its entry in the directory, no two entries share a
 * byte, and no entry is hidden between them, where a program that reads sequentially would find it.
 * Sets each entry's `dataAt`, and sorts the entries in file order.
 */
export function validateLayout(file: ArchiveFile, entries: Entry[], directory: DirectoryLocation): void {
  entries.sort((one, other) => one.headerAt - other.headerAt);
  let end = 0;
  let previous: Entry | null = null;
  for (const entry of entries) {
    if (entry.headerAt < end) throw overlap(entry, previous);
    if (entry.headerAt + LOCAL_BYTES > directory.start) throw misplaced(entry);
    validateGap(file, end, entry.headerAt);
    entry.dataAt = readLocalHeader(file, entry, directory.start);
    end = entry.dataAt + entry.compressedSize;
    if (end > directory.start) throw refusedEntry(entry.name, "reaches beyond the end of the archive: it is truncated");
    if (entry.flags & HAS_DESCRIPTOR) end += descriptorBytes(file, entry, end, directory.start);
    previous = entry;
  }
  validateGap(file, end, directory.start);
}

function overlap(entry: Entry, previous: Entry | null) {
  const other = previous ? quoted(previous.name) : "the start of the archive";
  return refusedEntry(entry.name, `overlaps ${other}: create the archive again`);
}

function validateGap(file: ArchiveFile, from: number, to: number): void {
  if (from === to) return;
  const hidden = file.find(LOCAL_SIGNATURE_BYTES, from, to);
  if (hidden < 0) return;
  throw refusedArchive(`byte ${hidden} begins an entry that its list does not name: create it again in one go`);
}

/** Returns the start of the entry's data. */
function readLocalHeader(file: ArchiveFile, entry: Entry, end: number): number {
  const { name, headerAt } = entry;
  const { bytes } = file;
  const header = file.seek(headerAt, LOCAL_BYTES);
  if (bytes.readUInt32LE(header) !== LOCAL_SIGNATURE) throw misplaced(entry);
  const local = readCommonFields(bytes, header + COMMON_AT);
  const nameAt = headerAt + LOCAL_BYTES;
  const dataAt = nameAt + local.nameBytes + local.extraBytes;
  if (dataAt > end) throw refusedEntry(name, "has a damaged header: create the archive again");

  // Equal text and length with equal flags imply equal bytes.
  const rest = file.seek(nameAt, local.nameBytes + local.extraBytes);
  const nameEnd = rest + local.nameBytes;
  const sameName =
    local.nameBytes === entry.nameBytes &&
    (local.flags & IS_UTF8) === (entry.flags & IS_UTF8) &&
    decodeName(bytes, rest, nameEnd, (local.flags & IS_UTF8) !== 0) === name;
  if (!sameName) throw contradicts(name, "name");
  const compared = ENCRYPTION | HAS_DESCRIPTOR;
  if (local.method !== entry.method || (local.flags & compared) !== (entry.flags & compared)) {
    throw contradicts(name, "method");
  }
  const { zip64 } = readExtraFields(bytes, nameEnd, nameEnd + local.extraBytes, name);
  if (!sameSizes(local, entry, zip64)) throw contradicts(name, "size or checksum");
  return dataAt;
}

type Sizes = Pick<Entry, "crc" | "compressedSize" | "size">;

function sameSizes(local: Sizes, entry: Entry, zip64: Buffer | null): boolean {
  const same = local.crc === entry.crc && local.compressedSize === entry.compressedSize && local.size === entry.size;
  if (same && entry.size !== ALL_ONES && entry.compressedSize !== ALL_ONES) return true;
  const wide = { ...local };
  if (zip64 && zip64.length >= 16) {
    if (local.size === ALL_ONES) wide.size = uint64(zip64, 0);
    if (local.compressedSize === ALL_ONES) wide.compressedSize = uint64(zip64, 8);
  }
  const equal = wide.crc === entry.crc && wide.compressedSize === entry.compressedSize && wide.size === entry.size;
  if (equal || (entry.flags & HAS_DESCRIPTOR) === 0) return equal;
  // With a descriptor the fields of the local header may be empty, but other values must be correct.
  const open = (said: number, raw: number, actual: number) => said === actual || said === 0 || raw === ALL_ONES;
  return (
    open(wide.crc, 0, entry.crc) &&
    open(wide.compressedSize, zip64 ? 0 : local.compressedSize, entry.compressedSize) &&
    open(wide.size, zip64 ? 0 : local.size, entry.size)
  );
}

/** Returns the length of the data descriptor: with or without signature, with 32-bit or 64-bit sizes (APPNOTE 4.3.9). */
function descriptorBytes(file: ArchiveFile, entry: Entry, at: number, end: number): number {
  const bytes = file.view(at, Math.min(24, end - at));
  for (const start of [4, 0]) {
    if (start === 4 && !(bytes.length >= 4 && bytes.readUInt32LE(0) === DESCRIPTOR_SIGNATURE)) continue;
    for (const width of [4, 8] as const) {
      const length = start + 4 + 2 * width;
      if (length <= bytes.length && describes(bytes, start, width, entry)) return length;
    }
  }
  throw refusedEntry(entry.name, "is followed by other sizes than the list of entries says: the archive is damaged");
}

function describes(bytes: Buffer, start: number, width: 4 | 8, { crc, compressedSize, size }: Entry): boolean {
  const number = (at: number) => (width === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at));
  return (
    bytes.readUInt32LE(start) === crc && number(start + 4) === compressedSize && number(start + 4 + width) === size
  );
}

function misplaced({ name }: Entry) {
  return refusedEntry(name, "is not where the list of entries says: the archive is damaged");
}

function contradicts(name: string, what: string) {
  return refusedEntry(
    name,
    `has one ${what} in the list of entries and another in its own header: create the archive again`,
  );
}
