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

/** Writes a file directly under its name, and returns null if there is one. The cheapest way: four system calls. */
export function writeNew(file: string, content: Uint8Array): Identity | null {
  const fd = openNew(file);
  if (fd === null) return null;
  try {
    writeAll(fd, content);
    return fstatSync(fd);
  } catch (error) {
    // Not removed: another thread may have put its own whole file under this name meanwhile. The sweep finds the rest.
    ftruncateSync(fd, 0);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns whether the file holds this content already, and marks it as modified now so that no sweep takes it for a
 * leftover. It may be a leftover of a crash, or be half written by another thread: only its bytes tell.
 */
export function adopt(file: string, content: Uint8Array): boolean {
  const fd = openExisting(file);
  if (fd === null) return false;
  try {
    const { size, ino } = fstatSync(fd);
    if (size !== content.length || !readFileSync(fd).equals(content)) return false;
    // Later than any time that its creator can have seen, whatever the file system's clock rounds to.
    const touched = new Date(Date.now() + 1000);
    futimesSync(fd, touched, touched);
    return statSync(file, { throwIfNoEntry: false })?.ino === ino;
  } finally {
    closeSync(fd);
  }
}

/** Opens a file of its own in the staging folder. */
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
     * Gives the file its name, and returns its identity if there was none of that name. Synced before: it may replace
     * a file that is relied on.
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

/** Returns false where the name is taken, or the file system has no links. */
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
