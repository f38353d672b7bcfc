import { type Packed, packedResponse } from "../packed.ts";
import { bundleDashboard } from "./bundle.ts" with { type: "macro" };
import type { BundledFile } from "./bundle.ts";

const bundle = bundleDashboard();
const files = new Map(bundle.files.map((file) => [file.path, decoded(file)]));

/**
 * Returns the response for one file of the dashboard; null if there is none at that URL. An asset is also available
 * under its plain name, `/assets/style.css`, for pages that are not built together with it.
 */
export function dashboardFile(path: string, request: Request, extra: Record<string, string>): Response | null {
  const file = files.get(path);
  if (file) return packedResponse(file, request, path.startsWith("/assets/") ? { ...IMMUTABLE, ...extra } : extra);
  const current = files.get(bundle.paths[path.replace("/assets/", "")] ?? "");
  return current ? packedResponse(current, request, extra) : null;
}

// --- internal ---

/** For file names that change with the content. */
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" };

function decoded({ bodies, ...file }: BundledFile): Packed & { readonly path: string } {
  const blobs = Object.entries(bodies).map(([encoding, base64]) => [
    encoding,
    new Blob([Uint8Array.fromBase64(base64)]),
  ]);
  return { ...file, bodies: Object.fromEntries(blobs) };
}
