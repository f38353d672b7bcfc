import type { ManifestFile } from "../../deployments/manifest.ts";
import type { Encodings } from "./encodings.ts";

/** A file of a deployment, and in which encodings its content is stored by now. */
export interface StoredFile extends ManifestFile {
  readonly encodings: Encodings;
  /** Whether nothing is left to encode, so that `encodings` will not change any more. */
  readonly isEncoded: boolean;
}

/** Single files of deployments, for visits: read at once, by an index, and never the whole manifest. */
export interface FileStore {
  /**
   * Runs several of the reads below as one, of one state of the store. `work` waits for nothing and changes nothing. It is
   * the one function that a store is handed: to begin and to end a read costs six times what the read does, and which file
   * is looked for next depends on what was found.
   */
  readTogether<T>(work: () => T): T;

  find(deploymentId: number, path: string): StoredFile | null;
  has(deploymentId: number, path: string): boolean;

  /**
   * Returns the file of this path in the latest of the site's deployments that were active at or after `since` and are
   * not any more. So many of those are searched that somebody may deploy every few hours.
   */
  findFormer(siteId: number, path: string, since: number): StoredFile | null;
}
