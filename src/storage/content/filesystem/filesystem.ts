import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDigest } from "../../../domain/deployments/digest.ts";
import { fileFailure } from "../../../domain/disk-error.ts";
import type { ContentInfo, ContentStore } from "../../../domain/ports/content.ts";
import { withDomainErrors } from "../../../domain/translate-errors.ts";
import { hashFile } from "../../disk/read-file.ts";
import { type EnsureSpace, spaceGuard } from "../../disk/space-guard.ts";
import { openDeleting } from "./deleting.ts";
import { foldersIn, makeFolders, type Places, placesIn } from "./places.ts";
import { openWriting } from "./writing.ts";

/**
 * Opens the content store in a folder, which is created if necessary. `ab/<digest>` holds content, `staging/` files
 * that are being written. Every thread opens its own instance.
 */
export function openFilesystemContent(root: string): ContentStore {
  const content = openIn(root, spaceGuard(root));
  const stage = async () => withDomainErrors(await content.stage(), contentFailure);
  return withDomainErrors({ ...content, stage }, contentFailure);
}

/**
 * Opens a content folder outside the data folder, such as a backup's. Errors are not translated, and the disk may be
 * filled completely, because nobody deletes sites there.
 */
export function openContentFolder(root: string): ContentStore {
  return openIn(root, () => {});
}

/**
 * Opens the content store in a folder read-only. Nothing is created, and a folder that an unpacked backup lacks counts as
 * empty.
 */
export function openContentReadOnly(root: string): Pick<ContentStore, "read" | "stat" | "hash" | "list"> {
  const folders = () => (existsSync(root) ? foldersIn(root) : []);
  return withDomainErrors(openReading(placesIn(root), folders), contentFailure);
}

// --- internal ---

function openIn(root: string, ensureSpace: EnsureSpace): ContentStore {
  const places = placesIn(root);
  makeFolders(places);
  return { ...openReading(places), ...openWriting(places, ensureSpace), ...openDeleting(places) };
}

function contentFailure(error: unknown): unknown {
  return fileFailure(error, "the content store");
}

type Reading = Pick<ContentStore, "read" | "open" | "stat" | "hash" | "list">;

/** Reads and lists content. */
function openReading({ root, path }: Places, folders = () => foldersIn(root)): Reading {
  return {
    async read(digest, span) {
      const file = Bun.file(path(digest));
      return span ? file.slice(span.start, span.end).bytes() : file.bytes();
    },

    open: async (digest) => Bun.file(path(digest)),

    stat: async (digest) => infoOf(path(digest)),

    hash: async (digest) => hashFile(path(digest)),

    async *list() {
      for (const folder of folders()) {
        for (const digest of readdirSync(join(root, folder)).filter(isDigest)) {
          const info = infoOf(path(digest));
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
