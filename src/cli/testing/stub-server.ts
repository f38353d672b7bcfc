interface Requested {
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

interface StubServer {
  readonly url: string;
  readonly requested: readonly Requested[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves responses by method and path and records the requests. Of several responses, the last one repeats. */
export function stubServer(responses: Readonly<Record<string, Response | readonly Response[]>>): StubServer {
  const requested: Requested[] = [];
  const times = new Map<string, number>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const text = await request.text();
      const { method, headers } = request;
      requested.push({
        path: pathname,
        headers,
        body: text && headers.get("content-type")?.includes("json") ? JSON.parse(text) : text,
      });
      const key = `${method} ${pathname}`;
      const given = [responses[key] ?? Response.json({ detail: `nothing at ${key}` }, { status: 404 })].flat();
      const index = Math.min(times.get(key) ?? 0, given.length - 1);
      times.set(key, index + 1);
      return copyOf(given[index] as Response);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requested,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A response may be sent several times, but its body can be read only once. */
function copyOf(response: Response): Response {
  const { status, headers } = response;
  return new Response(response.clone().body, { status, headers });
}
