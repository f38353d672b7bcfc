/**
 * Represents an escaped slash, %2F, in a decoded path: it separates no segments and is escaped again in targets.
 * Paths with control characters are refused, so that it cannot occur otherwise.
 */
export const ESCAPED_SLASH = "\u0001";

/** Escapes a decoded path for a URL; `?` and `#` are part of the path. */
export function encodePath(path: string): string {
  return STANDS_FOR_ITSELF.test(path) ? path : encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** The common case; the general one takes six times as long. */
const STANDS_FOR_ITSELF = /^[\w./-]*$/;

/** Decodes percent-escapes once; null if they are malformed or not UTF-8. */
export function decodeOrNull(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The same, with `ESCAPED_SLASH` for every %2F. */
export function decodeSegments(text: string): string | null {
  return decodeOrNull(text.replace(/%2f/gi, ESCAPED_SLASH));
}
