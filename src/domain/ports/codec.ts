import type { Encoding } from "./content.ts";

/** Content codings that are stored, by the names of HTTP. */
export type ContentCoding = Exclude<Encoding, "identity">;

/** Compresses content for browsers. */
export interface Codec {
  /**
   * Returns the content in a coding. Works on the calling thread until it is done: `best` may take seconds for a
   * megabyte, `fast` takes milliseconds.
   */
  compress(content: Uint8Array, coding: ContentCoding, effort: "best" | "good" | "fast"): Uint8Array;
}
