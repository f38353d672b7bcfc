import mime from "mime";
import { extensionOf, hasExtension } from "../../domain/deployments/extensions.ts";
import { decodedName } from "../../domain/deployments/precompressed.ts";

/** The type of unknown content, which browsers download. */
export const UNKNOWN_TYPE = "application/octet-stream";

/**
 * Returns the media type for a file name. It depends on the name only, never on the content. Together with
 * `nosniff`, this keeps an uploaded image from being rendered as a page.
 */
export function contentType(path: string): string {
  if (APPLE_APP_SITE_ASSOCIATION.test(path)) return "application/json";
  // Without the slash a whole name may count as an extension, but a file `html` is not a page.
  const known = mime.getType(`/${path}`) ?? UNKNOWN_TYPE;
  // With `nosniff`, no browser runs a script with the type registered for `.cjs`.
  const type = known === "application/node" ? "text/javascript" : known;
  return type.startsWith("text/") || type === "application/javascript" ? `${type}; charset=utf-8` : type;
}

/** Returns whether the path has an extension of files that pages load or link to. Such a request never wants a page. */
export function looksLikeAsset(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const compressed = decodedName(name);
  return isAssetName(name) || (compressed !== name && isAssetName(compressed));
}

// --- internal ---

function isAssetName(name: string): boolean {
  if (hasExtension(name, "asset")) return true;
  const extension = extensionOf(name);
  return extension !== "" && MEDIA.test(mime.getType(extension) ?? "") && !AMBIGUOUS.has(extension);
}

/** Apple's name for the apps of a site has no extension, and devices require this type. */
const APPLE_APP_SITE_ASSOCIATION = /^(?:\.well-known\/)?apple-app-site-association$/;

const MEDIA = /^(?:audio|font|image|model|video)\//;

/** Extensions of media that are also top-level domains, or the end of a version number. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["au", "movie", "rip", "210"]);
