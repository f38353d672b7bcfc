import type { DomainError } from "../../domain/errors.ts";
import { ArchiveFile } from "./archive-file.ts";
import { describeOtherFormat } from "./other-format.ts";
import { refusedArchive } from "./refusal.ts";

/** The location of the central directory in the file, and its claimed number of entries. */
export interface DirectoryLocation {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** Bytes before the archive that its offsets do not include; added to every offset. */
  readonly shift: number;
}

/** The fields of an end record, with the archive's own offsets. */
interface EndRecord {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
  /** The start of the record, directly after the directory. */
  readonly at: number;
}

// APPNOTE 4.3.14 to 4.3.16.
const END_SIGNATURE = Buffer.from("PK\x05\x06", "latin1");
const END_BYTES = 22;
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const END64_SIGNATURE = 0x06064b50;
const END64_BYTES = 56;
const MAX_COMMENT = 0xffff;
const DIRECTORY_SIGNATURE = 0x02014b50;

const TWO_READINGS = "it can be read in two ways: create it again in one go";

/**
 * Finds the central directory. Programs differ in which of several end records they use, so an archive
 * with a choice is refused: every program must see what was validated here.
 */
export function locateDirectory(file: ArchiveFile): DirectoryLocation {
  const at = findEnd(file);
  const short = readEnd(file, at);
  const end = readEnd64(file, short) ?? short;
  const shift = end.at - end.size - end.offset;
  if (shift < 0) throw refusedArchive("its list of entries is not where it says: it is truncated or damaged");
  // A program that ignores the prefix must not find another directory at the unadjusted offset.
  if (shift > 0 && end.count > 0 && holds(file, end.offset, DIRECTORY_SIGNATURE)) throw refusedArchive(TWO_READINGS);
  return { start: end.at - end.size, end: end.at, count: end.count, shift };
}

/** Returns the number of entries that a plain end record claims, unchecked; null for an archive with another end. */
export function claimedEntries(archive: string): number | null {
  const file = new ArchiveFile(archive);
  try {
    const at = file.size - END_BYTES;
    if (at < 0 || !file.view(at, END_SIGNATURE.length).equals(END_SIGNATURE)) return null;
    return file.view(at, END_BYTES).readUInt16LE(10);
  } finally {
    file.close();
  }
}

/**
 * Returns the offset of the only end record whose comment ends at the end of the file. NUL bytes may follow: bsdtar pads its
 * last block with them if it writes to a pipe.
 */
function findEnd(file: ArchiveFile): number {
  const contentEnd = findContentEnd(file);
  const from = Math.max(0, contentEnd - END_BYTES - MAX_COMMENT);
  // The record itself may end in NUL bytes: without a comment, it ends in a length of zero.
  const tail = Buffer.allocUnsafe(Math.min(file.size, contentEnd + END_BYTES) - from);
  file.read(tail, from);
  const endsArchive = (at: number) => {
    const end = from + commentEnd(tail, at);
    return end >= contentEnd && end <= file.size;
  };
  // A signature too close to the end for a record is part of a comment.
  const wide = tail.subarray(0, Math.max(0, tail.length - END_BYTES + END_SIGNATURE.length));
  const last = wide.lastIndexOf(END_SIGNATURE);
  if (last < 0) throw notAZip(file);
  for (let at = tail.indexOf(END_SIGNATURE); at < last; at = tail.indexOf(END_SIGNATURE, at + 1)) {
    if (endsArchive(at)) throw refusedArchive(`its comment holds a second end of archive: ${TWO_READINGS}`);
  }
  if (endsArchive(last)) return from + last;
  const isCut = from + commentEnd(tail, last) > file.size;
  throw isCut ? notAZip(file) : refusedArchive("there are bytes behind its end: remove them");
}

function notAZip(file: ArchiveFile): DomainError {
  const other = describeOtherFormat(file);
  return refusedArchive(
    other === null
      ? "it is not a ZIP archive, or it is truncated: create it again and upload it whole"
      : `it is not a ZIP archive but ${other}: create a ZIP of the folder that it holds`,
  );
}

/** Returns the offset after the last byte that is not NUL. */
function findContentEnd(file: ArchiveFile): number {
  const part = Buffer.allocUnsafe(NULS.length);
  for (let end = file.size; end > 0; end -= part.length) {
    const bytes = part.subarray(0, Math.min(end, part.length));
    file.read(bytes, end - bytes.length);
    // Compared as a block first, because hundreds of megabytes of NULs may follow an archive.
    if (bytes.equals(NULS.subarray(0, bytes.length))) continue;
    return end - bytes.length + bytes.findLastIndex((byte) => byte !== 0) + 1;
  }
  return 0;
}

const NULS = Buffer.alloc(64 * 1024);

function commentEnd(tail: Buffer, at: number): number {
  return at + END_BYTES + tail.readUInt16LE(at + 20);
}

function readEnd(file: ArchiveFile, at: number): EndRecord {
  const record = file.view(at, END_BYTES);
  const count = record.readUInt16LE(10);
  requireOneDisk(record.readUInt16LE(4), record.readUInt16LE(6), 0xffff);
  if (record.readUInt16LE(8) !== count) throw refusedArchive(MANY_DISKS);
  return { count, size: record.readUInt32LE(12), offset: record.readUInt32LE(16), at };
}

/** Returns the ZIP64 end record before a short one, or null. Both must agree where the short one has a value. */
function readEnd64(file: ArchiveFile, short: EndRecord): EndRecord | null {
  const locatorAt = short.at - LOCATOR_BYTES;
  if (!holds(file, locatorAt, LOCATOR_SIGNATURE)) return null;
  const locator = file.view(locatorAt, LOCATOR_BYTES);
  const claimedAt = uint64(locator, 8);
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw refusedArchive(MANY_DISKS);

  const at = locatorAt - END64_BYTES;
  if (!holds(file, at, END64_SIGNATURE)) throw refusedArchive("its ZIP64 end record is missing: it is damaged");
  const record = file.view(at, END64_BYTES);
  if (uint64(record, 4) !== END64_BYTES - 12) throw refusedArchive("its ZIP64 end record has an unknown form");
  requireOneDisk(record.readUInt32LE(16), record.readUInt32LE(20), 0);
  const count = uint64(record, 32);
  if (uint64(record, 24) !== count) throw refusedArchive(MANY_DISKS);
  const end = { count, size: uint64(record, 40), offset: uint64(record, 48), at };

  const agrees =
    (short.count === count || short.count === 0xffff) &&
    (short.size === end.size || short.size === 0xffffffff) &&
    (short.offset === end.offset || short.offset === 0xffffffff) &&
    at - claimedAt === at - end.size - end.offset;
  if (!agrees) throw refusedArchive(`its two end records contradict each other: ${TWO_READINGS}`);
  return end;
}

const MANY_DISKS = "it is one part of a split archive: create it in one piece";

function requireOneDisk(disk: number, directoryDisk: number, unknown: number): void {
  if (![0, unknown].includes(disk) || ![0, unknown].includes(directoryDisk)) throw refusedArchive(MANY_DISKS);
}

function holds(file: ArchiveFile, at: number, signature: number): boolean {
  return at >= 0 && at + 4 <= file.size && file.view(at, 4).readUInt32LE(0) === signature;
}

/** Reads a 64-bit number. Refuses values beyond the integer precision of doubles. */
export function uint64(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw refusedArchive("it claims a size that no file can have");
  return value;
}
