import mime from "mime";
import { extensionOf, hasExtension } from "../../domain/rules/extensions.ts";
import { decodedName } from "../../domain/rules/precompressed.ts";

/** The type of unknown content, which browsers download. */
export const UNKNOWN_TYPE = "application/octet-stream";

/**
 * Returns the content type for a file name. The media type depends on the name only, never on the content. Together with
 * `nosniff`, this keeps an uploaded image from being rendered as a page. A legacy text, which is not UTF-8, has no
 * charset, so that its own declaration decides.
 */
export function contentType(path: string, isLegacyText = false): string {
  const type = mediaType(path);
  return isText(type) && !isLegacyText ? `${type}; charset=utf-8` : type;
}

/** Returns whether a file with this name is sent with a charset, unless it is a legacy text. */
export function hasCharset(path: string): boolean {
  return isText(mediaType(path));
}

/** Returns whether the path has an extension of files that pages load or link to. Such a request never wants a page. */
export function looksLikeAsset(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const compressed = decodedName(name);
  return isAssetName(name) || (compressed !== name && isAssetName(compressed));
}

// --- internal ---

function mediaType(path: string): string {
  if (APPLE_APP_SITE_ASSOCIATION.test(path)) return "application/json";
  // Without the slash a whole name may count as an extension, but a file `html` is not a page.
  const known = mime.getType(`/${path}`) ?? UNKNOWN_TYPE;
  // With `nosniff`, no browser runs a script with the type registered for `.cjs`.
  return known === "application/node" ? "text/javascript" : known;
}

function isText(type: string): boolean {
  return type.startsWith("text/") || type === "application/javascript";
}

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
