// A bare `Bun.serve` that reads the host and the URL of a request and clones a ready response: the least that a server
// on Bun can do for a page. `hosting.ts` starts it.
//   bun scripts/bench/bare-server.ts FILE PORT TLS-PORT CERTIFICATE KEY
import { createHash } from "node:crypto";

const [file = "", port, tlsPort, certificate = "", key = ""] = process.argv.slice(2);
const page = new Uint8Array(await Bun.file(file).arrayBuffer());
const body = new Blob([page]);
const etag = `"${createHash("sha256").update(page).digest("hex").slice(0, 32)}"`;
const headers = new Headers({
  "content-type": "text/html; charset=utf-8",
  "cache-control": "public, max-age=0, must-revalidate",
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "accept-ranges": "bytes",
  etag,
});

const listen = { hostname: "127.0.0.1", development: false, fetch: respond } as const;
Bun.serve({ ...listen, port: Number(port) });
Bun.serve({
  ...listen,
  port: Number(tlsPort),
  http2: true,
  tls: { cert: Bun.file(certificate), key: Bun.file(key) },
});

function respond(request: Request): Response {
  const host = request.headers.get("host");
  if (host === null || request.url.length > 8000) return new Response(null, { status: 400 });
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}
