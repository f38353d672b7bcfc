import type { ManifestFile } from "../../model/manifest.ts";
import type { Encodings } from "./encodings.ts";

/** A file of a deployment with the stored encodings of its content. */
export interface StoredFile extends ManifestFile {
  readonly encodings: Encodings;
  /** True if encoding is complete, so that `encodings` will not change any more. */
  readonly isEncoded: boolean;
  /** True if it is known to be a text that is not UTF-8. */
  readonly isLegacyText: boolean;
}

/** Single files of deployments, for visits. Each is read by an index, without the whole manifest. */
export interface FileStore {
  /**
   * Runs several of the reads below in one snapshot. `work` must be synchronous and read-only. It is the only callback
   * of a store: beginning and ending a transaction costs six times as much as a read, and the next file to look up
   * depends on the previous result.
   */
  readTogether<T>(work: () => T): T;

  find(deploymentId: number, path: string): StoredFile | null;
  has(deploymentId: number, path: string): boolean;

  /**
   * Returns the file with this path in the latest of the site's deployments that were active at or after `since` and no
   * longer are. The number of searched deployments is enough for a deployment every few hours.
   */
  findFormer(siteId: number, path: string, since: number): StoredFile | null;
}
