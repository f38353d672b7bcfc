import type { ByteSpan } from "./content.ts";

/** An object of an object store. */
export interface StoredObject {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Objects with names that contain `/`, in a folder or in S3. The caller chooses names: letters, digits, `-`, `_` and
 * `.` between slashes. Every method throws `unavailable` with the reason if the store is unreachable, full, or refuses.
 */
export interface ObjectStore {
  /** Its location for messages: a path or a URL, without secrets. */
  readonly place: string;
  /** The useful number of concurrent operations. */
  readonly width: number;

  /** Yields all objects whose names start with `prefix`, in any order. Objects written meanwhile may be missing. */
  list(prefix: string): AsyncIterable<StoredObject>;

  /** Returns an object or a range of it in chunks, each read on request. Null if there is no such object. */
  read(name: string, span?: ByteSpan): Promise<AsyncIterable<Uint8Array> | null>;

  /**
   * Writes or replaces an object. Readers see either the whole object or the former state. If the chunks throw, nothing
   * is stored and the error is passed on. Durable after `sync`.
   */
  write(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;

  /**
   * Hard-links a local, immutable file instead of copying it; durable after `sync`. Returns false if that is
   * impossible. Absent if the store never supports it.
   */
  link?(name: string, file: string): Promise<boolean>;

  /** Deletes an object. Does nothing if there is none. */
  delete(name: string): Promise<void>;

  /** Deletes an object, and leftovers of interrupted writes of that name. Must not run concurrently with a write of it. */
  deleteWithLeftovers(name: string): Promise<void>;

  /** Makes everything written before durable. */
  sync(): Promise<void>;

  /**
   * Creates the location if possible, and removes leftovers of interrupted writes. Must not run concurrently with
   * writes.
   */
  prepare(): Promise<void>;
}
