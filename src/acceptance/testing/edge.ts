/** A minimal edge network. It forwards requests from its own loopback address, as a proxy in front of a name does. */
export interface Edge {
  /** Overrides the origin's response while it is set. */
  respond: ((request: Request) => Response | null) | null;
  /** The number of forwarded requests. */
  forwarded: number;
  stop(): Promise<void>;
}

/**
 * Starts the edge of an origin at 127.0.0.1, on another loopback address with the same port, as in production. With `tls`
 * it serves HTTPS, and connects to the origin over HTTPS without verifying its certificate.
 */
export function startEdge(port: number, tls?: { cert: string; key: string }): Edge {
  const edge: Edge = {
    respond: null,
    forwarded: 0,
    stop: () => server.stop(true),
  };
  const server = Bun.serve({
    hostname: "127.0.0.2",
    port,
    ...(tls ? { tls } : {}),
    async fetch(request) {
      const headers = { "CF-Ray": "8f00ba4-FRA", "CF-Cache-Status": "DYNAMIC" };
      const own = edge.respond?.(request) ?? null;
      if (own !== null) return own;
      edge.forwarded++;
      const { pathname, search } = new URL(request.url);
      const response = await fetch(`${tls ? "https" : "http"}://127.0.0.1:${port}${pathname}${search}`, {
        method: request.method,
        tls: { rejectUnauthorized: false },
        headers: request.headers,
        redirect: "manual",
        // The server may close a kept connection at the moment of the next request.
        keepalive: false,
      });
      return new Response(await response.bytes(), {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...headers },
      });
    },
  });
  return edge;
}
