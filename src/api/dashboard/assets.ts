import { bundleDashboard } from "./bundle.ts" with { type: "macro" };
import type { BundledFile } from "./bundle.ts";

type Coding = keyof BundledFile["bodies"];

/** What comes first is taken among what the client admits: br is the smallest of text made at leisure. */
const CODINGS: readonly Exclude<Coding, "identity">[] = ["br", "zstd", "gzip"];

const bundle = bundleDashboard();
const files = new Map(bundle.files.map((file) => [file.path, decoded(file)]));

/**
 * Returns the answer for one file of the dashboard; null where there is none of that address. An asset is also had
 * under its plain name, `/assets/style.css`, by pages that are not made together with it.
 */
export function dashboardFile(path: string, request: Request, extra: Record<string, string> = {}): Response | null {
  const file = files.get(path);
  if (file) return answer(file, request, path.startsWith("/assets/") ? { ...IMMUTABLE, ...extra } : extra);
  const current = files.get(bundle.addresses[path.replace("/assets/", "")] ?? "");
  return current ? answer(current, request, extra) : null;
}

// --- internal ---

/** For a name that changes with the content. */
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" };

interface File extends Pick<BundledFile, "path" | "type" | "digest"> {
  readonly bodies: Partial<Record<Coding, Uint8Array<ArrayBuffer>>>;
}

function decoded({ bodies, ...file }: BundledFile): File {
  const bytes = Object.entries(bodies).map(([coding, base64]) => [coding, Uint8Array.fromBase64(base64)]);
  return { ...file, bodies: Object.fromEntries(bytes) };
}

function answer(file: File, request: Request, extra: Record<string, string>): Response {
  const coding = chooseCoding(file, request.headers.get("accept-encoding") ?? "");
  // Strong: each encoding of a file is a representation of its own (RFC 9110 section 8.8.3.3).
  const etag = `"${file.digest}${coding === "identity" ? "" : `-${coding}`}"`;
  const headers = {
    ETag: etag,
    Vary: "Accept-Encoding",
    "Cache-Control": "no-cache",
    ...extra,
  };
  if (isNamed(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return new Response(file.bodies[coding] ?? null, {
    headers: {
      ...headers,
      "Content-Type": file.type,
      ...(coding === "identity" ? {} : { "Content-Encoding": coding }),
    },
  });
}

function chooseCoding(file: File, accepted: string): Coding {
  const refused = /;\s*q=0(\.0*)?\s*$/i;
  const admitted = new Set(
    accepted.split(",").flatMap((item) => (refused.test(item) ? [] : [item.replace(/;.*/, "").trim().toLowerCase()])),
  );
  return CODINGS.find((coding) => file.bodies[coding] && admitted.has(coding)) ?? "identity";
}

function isNamed(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*");
}
