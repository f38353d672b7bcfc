import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, type Release } from "../../sqlite/lock.ts";

/** The name begins so; the rest is each one's own. */
const PREFIX = "vitrine-backup.partial-";
const LOCK = "lock";

/** Where one backup is made, for its owner's eyes alone. */
export interface WorkFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a work folder, which its process holds locked: so nobody takes it for one that a crash left. */
export function makeWorkFolder(parent: string): WorkFolder {
  const path = mkdtempSync(join(parent, PREFIX));
  const release = acquireLock(join(path, LOCK));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      release?.();
    },
  };
}

/** Removes the work folders of processes that were killed. */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const lock = join(parent, name, LOCK);
    if (!name.startsWith(PREFIX) || !existsSync(lock)) continue;
    const release = lockOfTheDead(lock);
    if (!release) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
    release();
  }
}

/** Returns null also where it is another user's, who will remove it. */
function lockOfTheDead(file: string): Release | null {
  try {
    return acquireLock(file);
  } catch {
    return null;
  }
}
