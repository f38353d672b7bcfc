/**
 * Where an upload lies between its arrival and its judgement. Spooled files belong to nobody: whatever a crash leaves
 * is removed at the next start.
 */
export interface Spool {
  /** Opens a new empty file for one upload. Throws `disk_full` where the disk has no space for so many bytes. */
  create(bytes: number): Promise<SpoolFile>;
}

export interface SpoolFile {
  readonly path: string;
  /** Appends bytes; resolves when they are with the system, which holds the sender back meanwhile. Throws `disk_full`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends writing; the file stays until `discard`. */
  close(): Promise<void>;
  /** Removes the file, or leaves it to the next start where the disk fails; may be called at any moment and again. */
  discard(): Promise<void>;
}
