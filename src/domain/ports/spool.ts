/**
 * Temporary files of uploads before their validation. Files left by a crash
 * are deleted at the next start.
 */
export interface Spool {
  /** Opens a new empty file for an upload. Throws `disk_full` if the disk has no space for this many bytes. */
  create(bytes: number): Promise<SpoolFile>;
}

export interface SpoolFile {
  readonly path: string;
  /** Appends bytes; resolves once they are written, for backpressure. Throws `disk_full`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Finishes writing; the file stays until `delete`. */
  close(): Promise<void>;
  /** Deletes the file, or leaves it to the next start if the disk fails. Idempotent, and callable at any time. */
  delete(): Promise<void>;
}
