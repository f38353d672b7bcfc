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

/** Identifies a file among others that had the same name, and tells whether it was adopted since. */
interface Identity {
  readonly ino: number;
  readonly mtimeMs: number;
}

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

/**
 * The content that was created, so that it can be removed again unless somebody else uses it. The lists are flat: an
 * object with a path for each of 50,000 files would take 14 MB.
 */
export class Created {
  #digests: string[] = [];
  #inodes: number[] = [];
  #times: number[] = [];

  constructor(
    readonly path: (digest: string) => string,
    readonly staging: string,
  ) {}

  add(digest: string, { ino, mtimeMs }: Identity): void {
    this.#digests.push(digest);
    this.#inodes.push(ino);
    this.#times.push(mtimeMs);
  }

  /** Removes the files that are unchanged. `adopt` changes the time of the files that it takes over. */
  undo(): void {
    const [digests, inodes, times] = [this.#digests, this.#inodes, this.#times];
    [this.#digests, this.#inodes, this.#times] = [[], [], []];
    for (const [index, digest] of digests.entries()) {
      const [file, identity] = [this.path(digest), { ino: inodes[index]!, mtimeMs: times[index]! }];
      if (isSame(file, identity)) this.#remove(file, identity);
    }
  }

  #remove(file: string, identity: Identity): void {
    const aside = join(this.staging, crypto.randomUUID());
    renameSync(file, aside);
    // Whoever adopts it checks afterwards whether it still exists, so one of the two sees the other.
    if (!isSame(aside, identity)) putBack(aside, file);
    rmSync(aside, { force: true });
  }
}

// --- internal ---

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

function isSame(file: string, { ino, mtimeMs }: Identity): boolean {
  const info = statSync(file, { throwIfNoEntry: false });
  return info?.ino === ino && info.mtimeMs === mtimeMs;
}

/** Does not rename: another complete file may exist by now, and already be used. */
function putBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
