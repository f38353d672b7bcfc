import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/error-message.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import { modifiedAt, type Places } from "./places.ts";

/** Deletes content, unless somebody writes it meanwhile. */
export function openDeleting({ path, staging }: Places): Pick<ContentStore, "delete" | "purge"> {
  const deleteFile = (digest: string, writtenBefore: number): boolean => {
    const file = path(digest);
    if (modifiedAt(file) >= writtenBefore) return false;
    const aside = join(staging, crypto.randomUUID());
    if (!move(file, aside)) return true;
    // `adopt` updates the file's time and then checks whether it still exists, so one of the two always sees the other.
    const isAdopted = modifiedAt(aside) >= writtenBefore;
    if (isAdopted && !existsSync(file)) move(aside, file);
    rmSync(aside, { force: true });
    return !isAdopted;
  };
  return {
    delete: async (digest, writtenBefore) => deleteFile(digest, writtenBefore),

    async purge(deletions) {
      const deleted = deletions.filter(({ digest, writtenBefore }) => deleteFile(digest, writtenBefore));
      return deleted.map(({ digest }) => digest);
    },
  };
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
