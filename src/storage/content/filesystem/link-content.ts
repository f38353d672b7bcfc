import { copyFileSync, linkSync } from "node:fs";
import { errorCode } from "../../../domain/error-message.ts";
import { makeFolders, placesIn } from "./places.ts";
import { Unsynced } from "./unsynced.ts";

/** What says that a file system has no links, or not so many of one file. */
const NO_LINK = ["EPERM", "EXDEV", "EMLINK", "ENOTSUP", "EOPNOTSUPP"];

/** Gives the content of one folder a second name in the store of another, durably; missing content is left out. */
export async function linkContent(from: string, to: string, digests: AsyncIterable<string>): Promise<void> {
  const [source, target] = [placesIn(from), placesIn(to)];
  makeFolders(target);
  const unsynced = new Unsynced(to);
  for await (const digest of digests) {
    if (linkFile(source.path(digest), target.path(digest))) unsynced.add(target.path(digest));
  }
  unsynced.sync();
}

// --- internal ---

/** Returns false where there is no such file. */
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
