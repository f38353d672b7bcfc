import { linkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";

/** Tells a file from every other one under the same name, and from itself after somebody else has taken it over. */
export interface Identity {
  readonly ino: number;
  readonly mtimeMs: number;
}

/**
 * The content that was created, so that it can be removed again as long as nobody else relies on it. Its lists are
 * plain: an object for each of 50,000 files, with a path in it, would be 14 MB.
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

  /** Removes what is still as it was created; `adopt` changes the time of what it takes over. */
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
    // Whoever takes it over looks afterwards whether it is still in its place: one of the two sees the other.
    if (!isSame(aside, identity)) putBack(aside, file);
    rmSync(aside, { force: true });
  }
}

function isSame(file: string, { ino, mtimeMs }: Identity): boolean {
  const info = statSync(file, { throwIfNoEntry: false });
  return info?.ino === ino && info.mtimeMs === mtimeMs;
}

/** Not by renaming: another whole file may lie there by now, and be relied on already. */
function putBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
