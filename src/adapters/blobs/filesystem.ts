import type { Blobs } from "../../domain/ports/blobs.ts";
import { fileFailure } from "../disk-error.ts";
import { inDomainTerms } from "../in-domain-terms.ts";
import { makeFolders, placesIn } from "./places.ts";
import { openReading } from "./reading.ts";
import { openTrash } from "./trash.ts";
import { openWriting } from "./writing.ts";

/**
 * Opens the content store in a folder, and makes it where it is missing:
 * `ab/<digest>` holds content, `ab/<digest>.zst`, `.br` and `.gz` its encodings, `staging/` what is being written,
 * `trash/` what is set aside. Every thread opens its own.
 */
export function openFilesystemBlobs(root: string): Blobs {
  const blobs = openContentFolder(root);
  const stage = () => inDomainTerms(blobs.stage(), contentFailure);
  return inDomainTerms({ ...blobs, stage }, contentFailure);
}

/** The same for a folder that has another name to those who use it, such as a backup's: failures are told as they are. */
export function openContentFolder(root: string): Blobs {
  const places = placesIn(root);
  makeFolders(places);
  return { path: places.path, ...openReading(places), ...openWriting(places), ...openTrash(places) };
}

function contentFailure(error: unknown): unknown {
  return fileFailure(error, "the content store");
}
