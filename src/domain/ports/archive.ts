import type { ManifestFile } from "../deployments/manifest.ts";

/** What an upload may hold at most; all from the settings. */
export interface UploadLimits {
  readonly archiveBytes: number;
  readonly siteBytes: number;
  readonly fileBytes: number;
  readonly files: number;
}

/** An archive that was judged, unpacked and stored whole. */
export interface UnpackedArchive {
  readonly files: readonly ManifestFile[];
  /** Digests that were not written because the store knew them already. */
  readonly reused: readonly string[];
  /** Text of the `_redirects` and `_headers` in its root, where there are any. */
  readonly redirectsText: string | null;
  readonly headersText: string | null;
  /** Paths that were left out or are kept but not served, for the warnings. */
  readonly hidden: readonly string[];
  readonly strippedFolder: string | null;
}

/**
 * Unpacks uploads into the content store, on threads of its own: an upload of any size never delays a visitor.
 */
export interface Unpacker {
  /**
   * Judges the whole archive before anything of it is inflated, then stores the content of its files, durably.
   * Throws `invalid` naming the entry and what is wrong with it, `limit_exceeded` from the declared sizes,
   * `disk_full`, or `unavailable` while too many wait. A refused archive leaves nothing that a sweep does not remove.
   */
  unpack(archive: string): Promise<UnpackedArchive>;
}
