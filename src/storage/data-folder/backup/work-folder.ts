import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, type Release } from "../../sqlite/lock.ts";

/** The prefix of the name; the rest is random. */
const PREFIX = "vitrine-backup.partial-";
const LOCK = "lock";

/** A private folder in which one backup is prepared. */
interface WorkFolder {
  readonly path: string;
  remove(): void;
}

/** Creates a work folder, which its process keeps locked, so that others do not take it for a leftover of a crash. */
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

/** Removes the work folders of killed processes. */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const lock = join(parent, name, LOCK);
    if (!name.startsWith(PREFIX) || !existsSync(lock)) continue;
    const release = lockOfDeadProcess(lock);
    if (!release) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
    release();
  }
}

/** Returns null also for a folder of another user, who will remove it. */
function lockOfDeadProcess(file: string): Release | null {
  try {
    return acquireLock(file);
  } catch {
    return null;
  }
}
