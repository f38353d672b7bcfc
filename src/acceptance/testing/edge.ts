/** An edge network in small: forwards what arrives at its own loopback address, as a proxy in front of a name does. */
export interface Edge {
  readonly address: string;
  /** Answers instead of the origin while it is set. */
  answer: ((request: Request) => Response | null) | null;
  /** Requests that were forwarded. */
  forwarded: number;
  stop(): Promise<void>;
}

/**
 * Starts the edge on another loopback address than the origin's, at the same port, as the real one has the same port.
 * With `tls` it answers HTTPS, and asks the origin for it without judging its certificate.
 */
export function startEdge(
  address: string,
  origin: { address: string; port: number },
  tls?: { cert: string; key: string },
): Edge {
  const edge: Edge = {
    address,
    answer: null,
    forwarded: 0,
    stop: () => server.stop(true),
  };
  const server = Bun.serve({
    hostname: address,
    port: origin.port,
    ...(tls ? { tls } : {}),
    async fetch(request) {
      const headers = { "CF-Ray": "8f00ba4-FRA", "CF-Cache-Status": "DYNAMIC" };
      const own = edge.answer?.(request) ?? null;
      if (own !== null) return own;
      edge.forwarded++;
      const { pathname, search } = new URL(request.url);
      const response = await fetch(`${tls ? "https" : "http"}://${origin.address}:${origin.port}${pathname}${search}`, {
        method: request.method,
        tls: { rejectUnauthorized: false },
        headers: request.headers,
        redirect: "manual",
      });
      return new Response(await response.bytes(), {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...headers },
      });
    },
  });
  return edge;
}
