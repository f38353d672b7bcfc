/** Random bytes and hashes of the runtime. */
export interface Secrets {
  /** Returns `length` cryptographically random bytes. */
  random(length: number): Uint8Array;
  /** Returns the SHA-256 of the UTF-8 text in lower-case hex. Synchronous, because every API request needs it. */
  sha256(text: string): string;
}
