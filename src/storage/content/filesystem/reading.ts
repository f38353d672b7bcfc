import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDigest } from "../../../domain/deployments/digest.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import { hashFile } from "./hash-file.ts";
import { readFromPageCache, readPartFromPageCache } from "./page-cache.ts";
import { fanOut, type Places, SUFFIX } from "./places.ts";

type Reading = Pick<ContentStore, "read" | "readNow" | "readPart" | "hash" | "list">;

/** Reads content, and tells what there is in the folders that content lies in. */
export function openReading({ root, path }: Places, folders: readonly string[] = fanOut()): Reading {
  return {
    read: (digest, encoding) => Bun.file(path(digest, encoding)).bytes(),

    readNow: (digest, encoding, size) => readFromPageCache(path(digest, encoding), size),

    readPart(digest, encoding, start, length) {
      const file = path(digest, encoding);
      return (
        readPartFromPageCache(file, start, length) ??
        Bun.file(file)
          .slice(start, start + length)
          .bytes()
      );
    },

    hash: (digest) => hashFile(path(digest)),

    async *list() {
      for (const folder of folders) {
        for (const [digest, name] of filesIn(join(root, folder))) {
          const info = statSync(join(root, folder, name), { throwIfNoEntry: false });
          if (info) yield { digest, modifiedAt: info.mtimeMs, size: info.size };
        }
      }
    },
  };
}

/** Returns one file for each digest: the content, or where it is gone one of its encodings. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    const [digest, suffix] = [name.slice(0, 64), name.slice(64)];
    if (!isDigest(digest) || !Object.values(SUFFIX).includes(suffix)) continue;
    if (suffix === SUFFIX.identity || !files.has(digest)) files.set(digest, name);
  }
  return files;
}
