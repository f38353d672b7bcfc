import { ptr } from "bun:ffi";
import { closeSync, openSync } from "node:fs";
import { openLibc } from "./libc.ts";

/** Fail with EAGAIN instead of waiting for a disk (preadv2(2)). */
const RWF_NOWAIT = 8;

const libc = openLibc({ preadv2: { args: ["int", "ptr", "int", "i64", "int"], returns: "i64" } });

/** Used for every read: thousands a second would leave as many buffers to be collected. */
const window = new Uint8Array(256 * 1024 + 1);

/** One `struct iovec`: where to, and how much. */
const target = new BigUint64Array(2);

/**
 * Returns a file of a known size if the system has all of it in memory: a read of a few kilobytes costs 6 µs then,
 * where handing it to another thread costs 25. Null where a disk would have to be waited for, or something is wrong,
 * which an ordinary read then says; and for files of more than 256 KiB, and on systems without preadv2. The bytes are
 * valid until the next call.
 */
export function readFromPageCache(file: string, size: number): Uint8Array<ArrayBuffer> | null {
  if (size === 0 || size >= window.length) return null;
  // One byte more than expected: a file that is longer than it should be is not what was asked for.
  const read = readNow(file, window.subarray(0, size + 1), 0);
  return read === size ? window.subarray(0, size) : null;
}

/** Returns so many bytes of a file from `start` on, if the system has all of them in memory; they are the caller's. */
export function readPartFromPageCache(file: string, start: number, length: number): Uint8Array<ArrayBuffer> | null {
  const bytes = new Uint8Array(length);
  return readNow(file, bytes, start) === length ? bytes : null;
}

// --- internal ---

/** Reads what is in memory of a file, from `start` on; returns how many bytes those are, or a negative number. */
function readNow(file: string, into: Uint8Array<ArrayBuffer>, start: number): number {
  if (libc === null) return -1;
  const fd = openQuietly(file);
  if (fd === null) return -1;
  try {
    target[0] = BigInt(ptr(into));
    target[1] = BigInt(into.length);
    return Number(libc.preadv2(fd, ptr(target), 1, start, RWF_NOWAIT));
  } finally {
    closeSync(fd);
  }
}

function openQuietly(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch {
    return null;
  }
}
