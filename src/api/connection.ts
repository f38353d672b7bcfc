import type { Connection } from "../domain/ports/connection.ts";

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
