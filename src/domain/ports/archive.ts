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
  /** Sorted by path. */
  readonly files: readonly ManifestFile[];
  /** Digests whose content was not written, because the store knew them: publication must check that it still does. */
  readonly reused: readonly string[];
  /**
   * Text of the `_redirects` and `_headers` in its root, where there are any. At most one byte more than
   * `MAX_RULE_FILE_BYTES` is read, so that the parser sees that a file is too long.
   */
  readonly redirectsText: string | null;
  readonly headersText: string | null;
  /** What an operating system or Git had put there and is not part of the site; folders end with `/`. */
  readonly leftOut: readonly string[];
  /** The one folder in which everything lay. */
  readonly strippedFolder: string | null;
}
