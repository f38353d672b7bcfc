import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import { ContentFolders, FORMER_ENCODINGS, modifiedAt, type Places } from "./places.ts";

/** Deletes content with its former encodings, unless somebody writes it meanwhile. */
export function openDeleting({ path, staging }: Places): Pick<ContentStore, "delete" | "purge"> {
  const deleteFile = (digest: string, writtenBefore: number): boolean => {
    const file = path(digest);
    if (modifiedAt(file) >= writtenBefore) return false;
    const aside = join(staging, crypto.randomUUID());
    if (move(file, aside)) {
      // `adopt` updates the file's time and then checks whether it still exists, so one of the two always sees the
      // other.
      if (modifiedAt(aside) >= writtenBefore) {
        if (!existsSync(file)) move(aside, file);
        rmSync(aside, { force: true });
        return false;
      }
      rmSync(aside, { force: true });
    }
    for (const suffix of FORMER_ENCODINGS) rmSync(file + suffix, { force: true });
    return true;
  };
  return {
    delete: async (digest, writtenBefore) => deleteFile(digest, writtenBefore),

    async purge(deletions) {
      const deleted = deletions.filter(({ digest, writtenBefore }) => deleteFile(digest, writtenBefore));
      return deleted.map(({ digest }) => digest);
    },
  };
}

/**
 * Restores what an interrupted sweep of an earlier version had set aside. The next sweep deletes what is unreferenced.
 */
export function emptyTrash({ root, path }: Places): void {
  const trash = join(root, "trash");
  if (!existsSync(trash)) return;
  const folders = new ContentFolders(root);
  for (const name of readdirSync(trash)) {
    const [digest, suffix] = [name.slice(0, 64), name.slice(64)];
    const aside = join(trash, name);
    const place = ["", ...FORMER_ENCODINGS].includes(suffix) ? path(digest) + suffix : null;
    if (place !== null && !existsSync(place)) {
      folders.make(place);
      move(aside, place);
    } else rmSync(aside, { force: true });
  }
  folders.sync();
}

// --- internal ---

/** Returns false if the file does not exist. */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return false;
  }
}
