/** A stand-in for S3, for stories about other things: it keeps small objects in memory and believes every signature. */
export interface ObjectServer extends Disposable {
  /** The URL of a prefix, for `--content`. */
  address(prefix: string): string;
}

export function startObjectServer(): ObjectServer {
  const objects = new Map<string, ArrayBuffer>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === "PUT") {
        objects.set(pathname, await request.arrayBuffer());
        return new Response();
      }
      if (request.method === "DELETE") objects.delete(pathname);
      if (request.method !== "GET") return new Response(null, { status: 204 });
      const bytes = objects.get(pathname);
      if (bytes === undefined) return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 });
      const [, start = "0", end = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
      const part = bytes.slice(Number(start), end === "" ? bytes.byteLength : Number(end) + 1);
      const range = { "Content-Range": `bytes ${start}-${Number(start) + part.byteLength - 1}/${bytes.byteLength}` };
      return new Response(part, { status: 206, headers: range });
    },
  });
  return {
    address: (prefix) => `s3://sites/${prefix}?endpoint=http://127.0.0.1:${server.port}`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
