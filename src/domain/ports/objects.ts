import type { ByteSpan } from "./content.ts";

/** An object of an object store. */
export interface StoredObject {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Objects under names with `/`, in a folder or in S3. Names are the caller's own: letters, digits, `-`, `_` and `.`
 * between slashes. Every method throws `unavailable` with the reason if the store is away, full, or refuses.
 */
export interface ObjectStore {
  /** Where it is, for messages: a path or an address, without secrets. */
  readonly place: string;
  /** How many operations at a time pay off. */
  readonly width: number;

  /** Yields all objects whose names begin with `prefix`, in any order. Objects that are written meanwhile may be missing. */
  list(prefix: string): AsyncIterable<StoredObject>;

  /** Returns an object, or a span of it, part by part, each read when it is requested. Null if there is no such object. */
  read(name: string, span?: ByteSpan): Promise<AsyncIterable<Uint8Array> | null>;

  /**
   * Writes an object, or replaces it. Readers see the whole object or the former state. If the chunks throw, nothing is
   * stored and the error is passed on. Durable after `sync`.
   */
  write(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;

  /**
   * Gives a file of this machine, which never changes, a name here instead of a copy; durable after `sync`. False where
   * that cannot be done. Absent where it never can.
   */
  link?(name: string, file: string): Promise<boolean>;

  /** Removes an object. Does nothing if there is none. */
  remove(name: string): Promise<void>;

  /** Removes an object, and what an interrupted write of that name left. Nothing may write it meanwhile. */
  discard(name: string): Promise<void>;

  /** Makes everything durable that was written before. */
  sync(): Promise<void>;

  /** Creates the place if it can be created, and removes what interrupted writes left. Nothing else may write meanwhile. */
  prepare(): Promise<void>;
}
