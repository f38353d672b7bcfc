/** What may be known of who sent a request; looked up only when it is read. */
export interface Visitor {
  /** The client's IP address, after trusted proxies were taken into account. */
  readonly address: string;
  /** Whether the client speaks HTTPS to us, or to a trusted proxy in front of us. */
  readonly secure: boolean;
  /** Whether the client can have many answers under way at once, and leave all of them unread (HTTP/2). */
  readonly isMultiplexed: boolean;
  /**
   * Returns whether the answer may keep so many bytes in memory until the client has taken them, in this share of what
   * there is for all. They count until the request has ended; false where too many are kept, for everybody or this client.
   */
  holdMemory(bytes: number, share?: number): boolean;
}

/** The connection that a request came over. */
export interface Connection extends Visitor {
  /** Lets a body arrive slowly: the idle time of other connections would cut an upload over a thin line. */
  allowSlowBody(): void;
  /** Lets the answer take its time once the request is here: DNS, probes and sign-in providers may take longer. */
  allowSlowAnswer(): void;
}
