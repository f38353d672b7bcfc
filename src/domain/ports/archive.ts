import type { ManifestFile } from "../model/manifest.ts";

/** The limits of an upload, from the settings. */
export interface UploadLimits {
  readonly archiveBytes: number;
  readonly siteBytes: number;
  readonly fileBytes: number;
  readonly files: number;
}

/** An archive that was validated, unpacked and stored. */
export interface UnpackedArchive {
  /** Sorted by path. */
  readonly files: readonly ManifestFile[];
  /** Digests whose content was stored already. Publication must check that it still is. */
  readonly reused: readonly string[];
  /**
   * Text of `_redirects` and `_headers` in its root, if present. At most one byte more than
   * `MAX_RULE_FILE_BYTES` is read, so that the parser can detect a file that is too long.
   */
  readonly redirectsText: string | null;
  readonly headersText: string | null;
  /** Texts that are not UTF-8. */
  readonly legacyTexts: readonly ManifestFile[];
  /** Names of files that are neither marked nor valid as UTF-8, as they were read in code page 437. */
  readonly guessedNames: readonly string[];
  /** Paths of files that hold a private key. */
  readonly privateKeys: readonly string[];
  /** What is never published, as `leftOutBy` returns it. */
  readonly leftOut: readonly string[];
  /** The common folder that was stripped. */
  readonly strippedFolder: string | null;
}
