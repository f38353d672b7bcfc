import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileFailure } from "../../../domain/disk-error.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import { withDomainErrors } from "../../../domain/translate-errors.ts";
import { type EnsureSpace, spaceGuard } from "../../disk/space-guard.ts";
import { emptyTrash, openDeleting } from "./deleting.ts";
import { fanOut, makeFolders, placesIn } from "./places.ts";
import { openReading } from "./reading.ts";
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

/** Upgrades the folder of an earlier version. Call it before anybody opens the store. */
export function upgradeContentFolder(root: string): void {
  emptyTrash(placesIn(root));
}

/**
 * Opens a content folder outside the data folder, such as a backup's. Errors are not translated, and the disk may be
 * filled completely, because nobody deletes sites there.
 */
export function openContentFolder(root: string): ContentStore {
  return openIn(root, () => {});
}

/**
 * Opens the content store in a folder read-only. Nothing is created, and folders that an unpacked backup lacks count as
 * empty.
 */
export function openContentReadOnly(root: string): Pick<ContentStore, "read" | "stat" | "hash" | "list"> {
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
