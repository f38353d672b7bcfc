/** The source of the time. Tests set it, so that they need not wait. */
export interface Clock {
  /** Returns the wall clock in milliseconds since the epoch. */
  now(): number;
}

/** Random bytes and hashes of the runtime. */
export interface Secrets {
  /** Returns `length` cryptographically random bytes. */
  random(length: number): Uint8Array;
  /** Returns the SHA-256 of the UTF-8 text in lower-case hex. Synchronous, because every API request needs it. */
  sha256(text: string): string;
}

/** A slow password hash, to make guessing expensive. */
export interface Passwords {
  /** Returns the hash in PHC format, with its parameters and a new salt. */
  hash(password: string): Promise<string>;

  /**
   * Returns whether the password matches the hash. For `null`, an unknown login, it takes the same time and returns
   * false.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** The server's log. It must never receive a token, a password or a cookie. */
export interface Log {
  /** An event with its details in `fields`. */
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A problem that an operator should check. */
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** An unexpected error, logged with its stack and its causes. */
  error(event: string, error: unknown): void;
}

/**
 * Limits frequent operations per subject, without storing them: a bucket with as many tokens as a rate allows,
 * which refills within the rate's window. All threads of the process share the buckets.
 */
export interface Throttle {
  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(subject: string): number;
}

/** Counts the open event streams of each session over all threads. */
export interface StreamSlots {
  /**
   * Takes a slot, and returns an idempotent function that releases it. Throws `too_many_requests` if the session has
   * too many, and `unavailable` if there are too many of all sessions.
   */
  take(sessionId: number): () => void;
}
