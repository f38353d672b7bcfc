import { copyFileSync, linkSync } from "node:fs";
import { errorCode } from "../../domain/error-message.ts";
import { ContentFolders, makeFolders, placesIn } from "../content/filesystem/places.ts";
import { Unsynced } from "../disk/sync.ts";

/** Errors of file systems without hard links, or with too many links to a file. */
const NO_LINK = ["EPERM", "EXDEV", "EMLINK", "ENOTSUP", "EOPNOTSUPP"];

/** Hard-links the content of one store into another, durably. Missing content is skipped. */
export async function linkContent(from: string, to: string, digests: AsyncIterable<string>): Promise<void> {
  const [source, target] = [placesIn(from), placesIn(to)];
  makeFolders(target);
  const folders = new ContentFolders(to);
  const unsynced = new Unsynced(to);
  for await (const digest of digests) {
    folders.make(target.path(digest));
    if (linkFile(source.path(digest), target.path(digest))) unsynced.add(target.path(digest));
  }
  unsynced.sync();
  folders.sync();
}

// --- internal ---

/** Returns false if the file does not exist. */
function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    if (!NO_LINK.includes(errorCode(error))) throw error;
    copyFileSync(from, to);
    return true;
  }
}
