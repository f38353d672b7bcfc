import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { fileFailure } from "../../domain/disk-error.ts";
import { withDomainErrors } from "../../domain/translate-errors.ts";
import { refusedArchive } from "./refusal.ts";

/** A header with the longest name and the longest extra field fits in one view. */
const VIEW_BYTES = 192 * 1024;

/** Read ahead, so that neighbouring headers cost one system call together. */
const AHEAD_BYTES = 32 * 1024;

const disk = withDomainErrors({ openSync, fstatSync, readSync }, (error) => fileFailure(error, "the spool"));

/** A finished archive on disk, read at any place. Nothing is allocated from a size that the archive claims. */
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

  /** Returns up to 192 KiB at an offset, valid until the next call. Throws `invalid` when the archive ends before. */
  view(offset: number, length: number): Buffer {
    const at = this.seek(offset, length);
    return this.bytes.subarray(at, at + length);
  }

  /**
   * Returns where in `bytes` up to 192 KiB at an offset lie until the next call; throws as `view` does. For what is read
   * of every entry: a view for each part of each of 50,000 headers is 30 MB that wait to be collected.
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

  /** Fills the buffer from an offset. Throws `invalid` when the archive ends before. */
  read(into: Buffer, offset: number): void {
    let filled = 0;
    while (filled < into.length) {
      const bytes = disk.readSync(this.#fd, into, filled, into.length - filled, offset + filled);
      if (bytes === 0) throw endsEarly();
      filled += bytes;
    }
  }

  /** Returns where the bytes first occur in `[from, to)`, or -1. Reads through the window. */
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
