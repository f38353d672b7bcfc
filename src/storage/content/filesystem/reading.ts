import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDigest } from "../../../domain/deployments/digest.ts";
import type { ContentInfo, ContentStore } from "../../../domain/ports/content.ts";
import { hashFile } from "./hash-file.ts";
import { fanOut, type Places, SUFFIX } from "./places.ts";

type Reading = Pick<ContentStore, "read" | "open" | "stat" | "hash" | "list">;

/** Reads content, and tells what there is in the folders that content lies in. */
export function openReading({ root, path }: Places, folders: readonly string[] = fanOut()): Reading {
  return {
    async read(digest, encoding, span) {
      const file = Bun.file(path(digest, encoding));
      return span ? file.slice(span.start, span.end).bytes() : file.bytes();
    },

    open: async (digest, encoding) => Bun.file(path(digest, encoding)),

    stat: async (digest) => infoOf(path(digest)),

    hash: async (digest) => hashFile(path(digest)),

    async *list() {
      for (const folder of folders) {
        for (const [digest, name] of filesIn(join(root, folder))) {
          const info = infoOf(join(root, folder, name));
          if (info) yield { digest, ...info };
        }
      }
    },
  };
}

function infoOf(file: string): ContentInfo | null {
  const info = statSync(file, { throwIfNoEntry: false });
  return info ? { size: info.size, modifiedAt: info.mtimeMs } : null;
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
