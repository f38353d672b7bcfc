import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDigest } from "../../../domain/deployments/digest.ts";
import type { ContentInfo, ContentStore } from "../../../domain/ports/content.ts";
import { hashFile } from "./hash-file.ts";
import { FORMER_ENCODINGS, fanOut, type Places } from "./places.ts";

type Reading = Pick<ContentStore, "read" | "open" | "stat" | "hash" | "list">;

/** Reads and lists content. */
export function openReading({ root, path }: Places, folders: readonly string[] = fanOut()): Reading {
  return {
    async read(digest, span) {
      const file = Bun.file(path(digest));
      return span ? file.slice(span.start, span.end).bytes() : file.bytes();
    },

    open: async (digest) => Bun.file(path(digest)),

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

/** Returns one file per digest: the content, or a former encoding if the content is missing. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    const [digest, suffix] = [name.slice(0, 64), name.slice(64)];
    if (!isDigest(digest)) continue;
    if (suffix === "" || (FORMER_ENCODINGS.includes(suffix) && !files.has(digest))) files.set(digest, name);
  }
  return files;
}
