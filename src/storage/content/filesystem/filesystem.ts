import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileFailure } from "../../../domain/disk-error.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import { withDomainErrors } from "../../../domain/translate-errors.ts";
import { type EnsureSpace, spaceGuard } from "../../space-guard.ts";
import { emptyTrash, openDeleting } from "./deleting.ts";
import { fanOut, makeFolders, placesIn } from "./places.ts";
import { openReading } from "./reading.ts";
import { openWriting } from "./writing.ts";

/**
 * Opens the content store in a folder, and makes it where it is missing:
 * `ab/<digest>` holds content, `staging/` what is being written.
 * Every thread opens its own.
 */
export function openFilesystemContent(root: string): ContentStore {
  const content = openIn(root, spaceGuard(root));
  const stage = async () => withDomainErrors(await content.stage(), contentFailure);
  return withDomainErrors({ ...content, stage }, contentFailure);
}

/** Brings the folder of an earlier version up to date; before anybody uses it. */
export function upgradeContentFolder(root: string): void {
  emptyTrash(placesIn(root));
}

/**
 * The same for a folder that has another name to those who use it, such as a backup's: failures are told as they are,
 * and its disk is filled to the end, since nobody deletes sites there.
 */
export function openContentFolder(root: string): ContentStore {
  return openIn(root, () => {});
}

/**
 * Opens the content store in a folder for looking at it alone: nothing is made there, and what an unpacked backup lacks
 * is empty.
 */
export function lookAtContent(root: string): Pick<ContentStore, "read" | "stat" | "hash" | "list"> {
  const folders = fanOut().filter((name) => existsSync(join(root, name)));
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
