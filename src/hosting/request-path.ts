/** Longer request targets are refused with 414: no page has such an address, and every step below reads it whole. */
export const MAX_TARGET_LENGTH = 8192;

/**
 * Returns the path percent-decoded once, or null for what is no path of a site: broken or overlong escapes, a `..`
 * segment, a backslash, NUL and other control characters.
 */
export function decodePath(raw: string): string | null {
  let path = raw;
  if (raw.includes("%")) {
    try {
      path = decodeURIComponent(raw);
    } catch {
      return null;
    }
  }
  return UNACCEPTABLE.test(path) ? null : path;
}

const UNACCEPTABLE = /[\u0000-\u001f\u007f\\]|(?:^|\/)\.\.(?:\/|$)/;
