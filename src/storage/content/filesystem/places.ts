import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { requireDigest } from "../require-digest.ts";
import { syncPath } from "./unsynced.ts";

/** Where things lie in the folder of a content store. */
export interface Places {
  readonly root: string;
  readonly staging: string;
  /** Throws `unavailable` for what is no digest, which could lead out of the folder. */
  path(digest: string): string;
}

/** Encodings that earlier versions left beside their content: its name, with one of these. They go with the content. */
export const FORMER_ENCODINGS: readonly string[] = [".zst", ".br", ".gz"];

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

/** All folders are made once, so that nobody has to think of making (and syncing) one while content is written. */
export function makeFolders({ root, staging }: Places): void {
  if (existsSync(staging)) return;
  for (const folder of [...fanOut().map((name) => join(root, name)), staging]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  syncPath(root);
  syncPath(dirname(root));
}

/** The folders that content lies in, by the beginning of its digest. */
export function fanOut(): string[] {
  return Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
}

/** Milliseconds since the epoch; long ago where there is no such file. */
export function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}
