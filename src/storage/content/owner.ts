import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../domain/error-message.ts";
import type { ContentObjectStore } from "../../domain/ports/store/content-objects.ts";
import { StartFailure } from "../../domain/start-failure.ts";

/** The file that names the store to which the content in a data folder belongs. */
const MARK = "content-owner";

/**
 * Takes a data folder for the content of a store whose metadata is elsewhere, by writing a mark to it the first time.
 * Throws StartFailure if the content is in another node's folder. If `isFree`, there is none yet, and it may change.
 */
export async function takeFolder(
  folder: string,
  places: Pick<ContentObjectStore, "bucket" | "setBucket" | "nameOwner">,
  isFree: () => Promise<boolean>,
): Promise<void> {
  const file = join(folder, MARK);
  const mark = readMark(file);
  const own = mark ?? crypto.randomUUID();
  const owner = await places.nameOwner(own);
  if (owner === own && mark !== null) return;
  if (owner !== own) {
    if (!(await isFree())) throw new StartFailure(ELSEWHERE);
    await places.setBucket({ owner: own, url: null });
  }
  if (mark === null) writeFileSync(file, own, { mode: 0o600 });
}

// --- internal ---

const ELSEWHERE =
  "the content of this database is in the data folder of another node: several nodes need a bucket, which --content names";

function readMark(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}
