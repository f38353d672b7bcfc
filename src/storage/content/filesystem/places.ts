import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";
import { syncPath } from "../../disk/sync.ts";
import { requireDigest } from "../require-digest.ts";

/** The paths in the folder of a content store. */
export interface Places {
  readonly root: string;
  readonly staging: string;
  /** Throws `unavailable` for an invalid digest, which could lead out of the folder. */
  path(digest: string): string;
}

export function placesIn(root: string): Places {
  return {
    root,
    staging: join(root, "staging"),
    path(digest) {
      requireDigest(digest);
      return `${root}/${digest.slice(0, 2)}/${digest}`;
    },
  };
}

/** Creates the folder of the store. Folders of content follow with their first file: see `ContentFolders`. */
export function makeFolders({ root, staging }: Places): void {
  if (existsSync(staging)) return;
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  syncPath(root);
  syncPath(dirname(root));
}

/**
 * Creates folders of content. Every writer makes those durable that it uses for the first time, because the thread that
 * created one may not have done so yet.
 */
export class ContentFolders {
  readonly #used = new Set<string>();
  #isSynced = true;

  constructor(readonly root: string) {}

  /** Creates the folder of a file if it is missing. The root must exist, because a disk that is not mounted has none. */
  make(file: string): void {
    const folder = dirname(file);
    if (this.#used.has(folder)) return;
    try {
      mkdirSync(folder, 0o700);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    this.#used.add(folder);
    this.#isSynced = false;
  }

  /** Makes the folders durable. */
  sync(): void {
    if (!this.#isSynced) syncPath(this.root);
    this.#isSynced = true;
  }
}

/** Returns the names of the folders of content: the first digits of the digests in them. */
export function foldersIn(root: string): string[] {
  return readdirSync(root).filter((name) => /^[0-9a-f]{2}$/.test(name));
}

/** Returns milliseconds since the epoch; negative infinity if the file does not exist. */
export function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}
