/** What a route may know of the connection that a request came over. */
export interface Connection {
  /** The client's address, after trusted proxies were taken into account. */
  readonly address: string;
  /** Whether the client speaks HTTPS to us, or to a trusted proxy in front of us. */
  readonly secure: boolean;
  /** Lets a body arrive slowly: the listener's general patience of ten seconds would cut an upload over a thin line. */
  allowSlowBody(): void;
  /** Lets the answer take its time once the request is here: DNS, probes and sign-in providers may take longer than that. */
  allowSlowAnswer(): void;
}

const connections = new WeakMap<Request, Connection>();

export function attachConnection(request: Request, connection: Connection): void {
  connections.set(request, connection);
}

/** To be told once all of a request was read: from then on it is the answer that takes time. */
export function requestIsWhole(request: Request): void {
  connections.get(request)?.allowSlowAnswer();
}

export function connectionOf(request: Request): Connection {
  const connection = connections.get(request);
  if (!connection) throw new Error("the request came without its connection");
  return connection;
}
