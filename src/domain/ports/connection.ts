/** Facts about the client of a request, computed on demand. */
export interface Visitor {
  /** The client's IP address, determined through trusted proxies. */
  readonly address: string;
  /** The client's country, as a trusted proxy in front says it in `CF-IPCountry`; null where none does. */
  readonly country: string | null;
  /** Whether the client uses HTTPS, possibly to a trusted proxy. */
  readonly secure: boolean;
  /** Whether the client can have many unread responses at once (HTTP/2). */
  readonly isMultiplexed: boolean;
  /**
   * Whether the response may keep this many bytes in memory until the client has read them, in this share of the
   * total. They count until the request has ended; false if the limit of all clients or of this one is reached.
   */
  holdMemory(bytes: number, share?: number): boolean;
}

/** The connection that a request came over. */
export interface Connection extends Visitor {
  /** Raises the idle time limit for the body, so that slow uploads are not interrupted. */
  allowSlowBody(): void;
  /** Raises the time limit for the response: DNS, probes and sign-in providers may be slow. */
  allowSlowAnswer(): void;
}
