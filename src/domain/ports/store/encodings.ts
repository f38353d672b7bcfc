import type { Encoding } from "../content.ts";

/** Sizes in bytes of the encodings that are stored for a content, without its own. */
export type EncodingSizes = Readonly<Partial<Record<Exclude<Encoding, "identity">, number>>>;

/** Which encodings of which content are stored, whole and durable. Visits read them along with a file: see `FileStore`. */
export interface EncodingStore {
  /** Returns contents of active deployments that nobody has tried to encode yet, the latest published first. */
  pending(limit: number): Promise<readonly { digest: string; size: number }[]>;

  /**
   * Notes the outcome for contents whose encodings are durable; none at all is an outcome too. Visitors get them from
   * their next request on. A content that is gone by now is passed over.
   */
  record(outcomes: readonly { digest: string; sizes: EncodingSizes }[]): Promise<void>;
}
