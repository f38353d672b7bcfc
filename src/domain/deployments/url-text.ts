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
