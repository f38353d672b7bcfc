import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncPath } from "../../disk/sync.ts";
import { requireDigest } from "../require-digest.ts";

/** The paths in the folder of a content store. */
export interface Places {
  readonly root: string;
  readonly staging: string;
  /** Throws `unavailable` for an invalid digest, which could lead out of the folder. */
  path(digest: string): string;
}

/**
 * Earlier versions stored encodings beside their content, with one of these suffixes. They are deleted with the
 * content.
 */
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

/** Creates all folders in advance, so that writers need not create and sync one. */
export function makeFolders({ root, staging }: Places): void {
  if (existsSync(staging)) return;
  for (const folder of [...fanOut().map((name) => join(root, name)), staging]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  syncPath(root);
  syncPath(dirname(root));
}

/** The folders of content, named after the first digits of the digest. */
export function fanOut(): string[] {
  return Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
}

/** Returns milliseconds since the epoch; 0 if the file does not exist. */
export function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}
