/**
 * Stands in a decoded path for a slash that was escaped as %2F: it separates no segments, and goes into a target as it came.
 * No path that is answered holds a control character.
 */
export const ESCAPED_SLASH = "\u0001";

/** Returns a decoded path as it stands in a URL: `?` and `#` are part of it, and everything else that must be is escaped. */
export function encodePath(path: string): string {
  return STANDS_FOR_ITSELF.test(path) ? path : encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** Most paths: to escape nothing takes six times as long. */
const STANDS_FOR_ITSELF = /^[\w./-]*$/;

/** Returns the text with its percent-escapes decoded once, or null where they are broken or no UTF-8. */
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
