import type { Connection } from "../domain/ports/connection.ts";

const connections = new WeakMap<Request, Connection>();

export function attachConnection(request: Request, connection: Connection): void {
  connections.set(request, connection);
}

/** Call this when a request has been read completely. From then on, the response may be slow. */
export function requestIsWhole(request: Request): void {
  connections.get(request)?.allowSlowResponse();
}

export function connectionOf(request: Request): Connection {
  const connection = connections.get(request);
  if (!connection) throw new Error("the request came without its connection");
  return connection;
}
