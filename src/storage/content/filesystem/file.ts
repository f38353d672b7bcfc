import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";
import type { Identity } from "./created.ts";

const PRIVATE = 0o600;

/**
 * Writes a file directly under its name. Returns null if it exists. This is the cheapest way, with four system calls.
 */
export function writeNew(file: string, content: Uint8Array): Identity | null {
  const fd = openNew(file);
  if (fd === null) return null;
  try {
    writeAll(fd, content);
    return fstatSync(fd);
  } catch (error) {
    // Truncated rather than removed: another thread may have put its own complete file there. The sweep removes empty
    // files.
    ftruncateSync(fd, 0);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns whether the file has this content, and marks it as modified now, so that no sweep takes it for a leftover.
 * Its bytes must be compared, because it may be a leftover of a crash, or another thread may be writing it.
 */
export function adopt(file: string, content: Uint8Array): boolean {
  const fd = openExisting(file);
  if (fd === null) return false;
  try {
    const { size, ino } = fstatSync(fd);
    if (size !== content.length || !readFileSync(fd).equals(content)) return false;
    // Later than any time that its creator can have seen, with any rounding by the file system.
    const touched = new Date(Date.now() + 1000);
    futimesSync(fd, touched, touched);
    return statSync(file, { throwIfNoEntry: false })?.ino === ino;
  } finally {
    closeSync(fd);
  }
}

/** Opens a new file in the staging folder. */
export function stageFile(folder: string) {
  const file = join(folder, crypto.randomUUID());
  const fd = openSync(file, "wx", PRIVATE);
  let open = true;
  const close = () => {
    if (open) closeSync(fd);
    open = false;
  };
  return {
    write: (chunk: Uint8Array) => writeAll(fd, chunk),

    /**
     * Renames the file to its target. Returns its identity if the target did not exist. The file is synced first,
     * because it may replace one that is in use.
     */
    moveTo(target: string): Identity | null {
      fsyncSync(fd);
      const identity = fstatSync(fd);
      close();
      if (linkNew(file, target)) {
        rmSync(file);
        return identity;
      }
      renameSync(file, target);
      return null;
    },

    remove() {
      close();
      rmSync(file, { force: true });
    },
  };
}

function writeAll(fd: number, content: Uint8Array): void {
  let at = 0;
  while (at < content.length) at += writeSync(fd, content, at, content.length - at);
}

/** Returns false if the target exists or the file system does not support links. */
function linkNew(file: string, target: string): boolean {
  try {
    linkSync(file, target);
    return true;
  } catch (error) {
    if (["EEXIST", "EPERM", "ENOTSUP", "EOPNOTSUPP"].includes(errorCode(error))) return false;
    throw error;
  }
}

function openNew(file: string): number | null {
  try {
    return openSync(file, "wx", PRIVATE);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return null;
    throw error;
  }
}

function openExisting(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}
