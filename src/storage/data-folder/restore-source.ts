import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseS3Url, S3_SCHEME, type S3Destination } from "../../domain/backups/destination.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { dataFolder, UnusableBackup } from "../folder/data-folder.ts";
import { folderObjects } from "../objects/folder.ts";
import type { RestoreSource } from "./restore.ts";
import { BACKUPS } from "./scheduled/names.ts";
import { listComplete, originIn } from "./scheduled/objects.ts";

/**
 * Returns the source for `vitrine restore`: `s3://…[#id]`, `FOLDER[#id]` for scheduled backups, or the path of a manual
 * backup. If a folder has both kinds, the newer one. Throws UnusableBackup for an invalid URL.
 */
export async function restoreSource(
  named: string,
  openBucket: (destination: S3Destination) => ObjectStore,
): Promise<RestoreSource> {
  const [, place = "", id = null] = existsSync(named)
    ? [named, named]
    : (/^([^#]*)#(.*)$/.exec(named) ?? [named, named]);
  if (place.startsWith(S3_SCHEME)) {
    const destination = parseS3Url(place);
    if (typeof destination === "string") throw new UnusableBackup(`${place} is not usable: give ${destination}`);
    return { objects: openBucket(destination), id };
  }
  if (id !== null && existsSync(place)) return { objects: folderObjects(place), id };
  return (await isScheduled(place)) ? { objects: folderObjects(place), id } : named;
}

// --- internal ---

/** Returns whether the newest backup in the folder is a scheduled one. */
async function isScheduled(path: string): Promise<boolean> {
  if (!existsSync(join(path, BACKUPS))) return false;
  const { description } = dataFolder(path);
  const scheduled = (await listComplete(folderObjects(path))).map(({ createdAt }) => createdAt);
  const byHand = existsSync(description) ? originIn(readFileSync(description, "utf8")) : null;
  return Math.max(...scheduled) > (byHand?.createdAt ?? 0);
}
