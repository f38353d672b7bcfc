import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { fileFailure } from "../../domain/disk-error.ts";
import { withDomainErrors } from "../../domain/translate-errors.ts";
import { refusedArchive } from "./refusal.ts";

/** Fits a header with the longest name and the longest extra field. */
const VIEW_BYTES = 192 * 1024;

/** Read ahead, so that adjacent headers need one system call. */
const AHEAD_BYTES = 32 * 1024;

const disk = withDomainErrors({ openSync, fstatSync, readSync }, (error) => fileFailure(error, "the spool"));

/** An archive on disk with random access. Nothing is allocated from a size that the archive claims. */
export class ArchiveFile {
  readonly size: number;
  readonly bytes = Buffer.allocUnsafe(VIEW_BYTES);
  readonly #fd: number;
  #start = 0;
  #length = 0;

  constructor(path: string) {
    this.#fd = disk.openSync(path, "r");
    this.size = disk.fstatSync(this.#fd).size;
  }

  /** Returns up to 192 KiB at an offset, valid until the next call. Throws `invalid` if the archive ends before. */
  view(offset: number, length: number): Buffer {
    const at = this.seek(offset, length);
    return this.bytes.subarray(at, at + length);
  }

  /**
   * Returns the position in `bytes` of up to 192 KiB at an offset, valid until the next call; throws like `view`. For data
   * of every entry, because a view for each part of 50,000 headers leaves 30 MB of garbage.
   */
  seek(offset: number, length: number): number {
    if (length > VIEW_BYTES) throw new RangeError(`a view of ${length} bytes does not fit the window`);
    if (offset < this.#start || offset + length > this.#start + this.#length) {
      this.#start = offset;
      this.#length = Math.max(0, Math.min(Math.max(length, AHEAD_BYTES), this.size - offset));
      this.read(this.bytes.subarray(0, this.#length), offset);
    }
    const at = offset - this.#start;
    if (at + length > this.#length) throw endsEarly();
    return at;
  }

  /** Fills the buffer from an offset. Throws `invalid` if the archive ends before. */
  read(into: Buffer, offset: number): void {
    let filled = 0;
    while (filled < into.length) {
      const bytes = disk.readSync(this.#fd, into, filled, into.length - filled, offset + filled);
      if (bytes === 0) throw endsEarly();
      filled += bytes;
    }
  }

  /** Returns the first occurrence of the bytes in `[from, to)`, or -1. */
  find(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at + bytes.length <= to; ) {
      const part = this.view(at, Math.min(VIEW_BYTES, to - at));
      const found = part.indexOf(bytes);
      if (found >= 0) return at + found;
      at += part.length - bytes.length + 1;
    }
    return -1;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function endsEarly() {
  return refusedArchive("it ends in the middle of an entry: it is truncated, upload it again");
}
