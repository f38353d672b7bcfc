import { linkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";

/** Identifies a file among others that had the same name, and tells whether it was adopted since. */
export interface Identity {
  readonly ino: number;
  readonly mtimeMs: number;
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
