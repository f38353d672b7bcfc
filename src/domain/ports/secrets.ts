/** Randomness and hashes. A port, because the domain names what it needs and the runtime has the fast way to do it. */
export interface Secrets {
  /** Returns `length` bytes that nobody can predict. */
  random(length: number): Uint8Array;
  /** Returns the SHA-256 of the UTF-8 text in lower-case hex. Synchronous: it is on the path of every request of the API. */
  sha256(text: string): string;
}
