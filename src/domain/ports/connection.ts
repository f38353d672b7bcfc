/** Facts about the client of a request, computed on demand. */
export interface Visitor {
  /** The client's IP address, determined through trusted proxies. */
  readonly address: string;
  /** The client's country from `CF-IPCountry` of a trusted proxy; null if there is none. */
  readonly country: string | null;
  /** True if the client uses HTTPS, possibly to a trusted proxy. */
  readonly secure: boolean;
  /** True if the client can have many unread responses at once (HTTP/2). */
  readonly isMultiplexed: boolean;
  /**
   * Reserves memory for a response until the client has read it, up to this share of the total. It is released when the
   * request ends. Returns false if the limit of all clients or of this one is reached.
   */
  holdMemory(bytes: number, share?: number): boolean;
}

/** The connection of a request. */
export interface Connection extends Visitor {
  /** Raises the idle time limit for the body, so that slow uploads are not interrupted. */
  allowSlowBody(): void;
  /** Raises the time limit for the response, because DNS, probes and sign-in providers may be slow. */
  allowSlowResponse(): void;
}
