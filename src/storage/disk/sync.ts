import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { diskFails } from "../../domain/disk-error.ts";
import { openLibc } from "./libc.ts";

/** Below this number of new files, an fsync for each is cheaper than syncfs, which also writes other programs' data. */
const FEW_FILES = 16;

/** The written files that may not survive a power cut yet. */
export class Unsynced {
  #files: string[] = [];
  /** True if there are so many files that the whole file system will be synced, and no list is needed. */
  #many = false;

  constructor(readonly root: string) {}

  add(file: string): void {
    if (this.#many) return;
    this.#files.push(file);
    if (this.#files.length <= FEW_FILES || !syncfsExists()) return;
    this.#many = true;
    this.#files = [];
  }

  /** Makes all files and their directory entries durable. */
  sync(): void {
    const files = this.#files;
    const many = this.#many;
    this.#files = [];
    this.#many = false;
    if (many) withOpen(this.root, syncFilesystem);
    for (const file of files) syncPath(file);
    for (const folder of new Set(files.map(dirname))) syncPath(folder);
  }
}

/** Syncs a file's content or a folder's entries. */
export function syncPath(path: string): void {
  withOpen(path, fsyncSync);
}

/**
 * Syncs the file system of an open file. Throws `unavailable` if that fails. For thousands of new files this is several
 * times cheaper than an fsync for each.
 */
export function syncFilesystem(fd: number): void {
  if (!syncfsExists() || syncfs?.(fd) !== 0) throw diskFails("the content store", new Error("syncfs(2) failed"));
}

// --- internal ---

let syncfs: ((fd: number) => number) | null | undefined;

/** Returns whether this system has syncfs(2), as Linux does. Otherwise every file needs an fsync. */
function syncfsExists(): boolean {
  if (syncfs === undefined) syncfs = openLibc({ syncfs: { args: ["int"], returns: "int" } })?.syncfs ?? null;
  return syncfs !== null;
}

function withOpen(path: string, action: (fd: number) => void): void {
  const fd = openSync(path, "r");
  try {
    action(fd);
  } finally {
    closeSync(fd);
  }
}
