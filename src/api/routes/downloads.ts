import { DomainError } from "../../domain/errors.ts";
import { connectionOf } from "../connection.ts";
import type { RoutePorts } from "../ports.ts";
import { rangedResponse } from "../ranged-response.ts";
import { type Call, route } from "../route.ts";
import type { VersionReport } from "../schemas/types.ts";

const common = { tag: "System", auth: "public", ranged: true } as const;
const errors = { 404: "no such file, or downloads are off" };

export const downloadRoutes = [
  route({
    ...common,
    endpoint: "GET /vitrine.tgz",
    summary: "Download the command-line client as an npm package",
    description: "`npx URL deploy FOLDER` runs it with Node.js. It uses this server unless told otherwise.",
    produces: "application/gzip",
    errors,
    handler: sendNpmPackage,
  }),

  route({
    ...common,
    endpoint: "GET /download/:file",
    summary: "Download the server's own executable, which is the command-line client as well",
    description: "`GET /version` has its URL and its SHA-256. Ranges continue a download.",
    produces: "application/octet-stream",
    errors,
    handler: sendExecutable,
  }),
];

/** Returns where to get the clients that the server offers. */
export async function clientsOf({ downloads, links }: RoutePorts): Promise<VersionReport["client"]> {
  if (downloads === null) return { npm: null, executables: [] };
  const [{ integrity }, executable] = await Promise.all([downloads.npmPackage(), downloads.executable()]);
  const npm = { url: `${links.base}/vitrine.tgz`, integrity };
  if (executable === null) return { npm, executables: [] };
  const { platform, sha256, size: bytes } = executable;
  return { npm, executables: [{ platform, url: `${links.base}/download/${nameOf(platform)}`, sha256, bytes }] };
}

// --- internal ---

/** A client asks each time, so that it never gets the one of another version. */
const CURRENT = { "Cache-Control": "no-cache" };

async function sendNpmPackage({ request, ports }: Call): Promise<Response> {
  if (ports.downloads === null) throw nothingAt(request);
  connectionOf(request).allowSlowResponse();
  const { bytes, integrity } = await ports.downloads.npmPackage();
  const body = new Blob([bytes]);
  return rangedResponse(request, {
    etag: `"${integrity.slice(0, ETAG_LENGTH)}"`,
    size: body.size,
    headers: { ...CURRENT, "Content-Type": "application/gzip" },
    open: (start, end) => body.slice(start, end),
  });
}

async function sendExecutable({ request, params, ports }: Call<{ readonly file: string }>): Promise<Response> {
  const executable = (await ports.downloads?.executable()) ?? null;
  if (executable === null || params.file !== nameOf(executable.platform)) throw nothingAt(request);
  connectionOf(request).allowSlowResponse();
  const { file, size, sha256 } = executable;
  return rangedResponse(request, {
    etag: `"${sha256.slice(0, ETAG_LENGTH)}"`,
    size,
    headers: {
      ...CURRENT,
      "Content-Type": "application/octet-stream",
      "Content-Disposition": 'attachment; filename="vitrine"',
    },
    // Bun would apply a `Range` that `If-Range` forbids, unless the slice is longer than the file.
    open: (start, end) => Bun.file(file).slice(start, start === 0 && end === size ? size + 1 : end),
  });
}

const ETAG_LENGTH = 32;

function nameOf(platform: string): string {
  return `vitrine-${platform}`;
}

function nothingAt({ url }: Request): DomainError {
  return new DomainError("not_found", `there is nothing at ${new URL(url).pathname}`);
}
