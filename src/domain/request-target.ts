import { decodeOrNull } from "./url-text.ts";

// A request's URL is normalized already. Another `new URL` per request would cost more than the whole
// rest of a cached response.

/** Returns a request's URL without its query. */
export function withoutQuery(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

/** Returns path and query of a request's URL. */
export function targetOf(url: string): string {
  const start = pathStart(url);
  return start === -1 ? "/" : url.slice(start);
}

/** Returns the path of a request's URL as it was sent, without the query. */
export function pathOf(url: string): string {
  const start = pathStart(url);
  if (start === -1) return "/";
  const mark = url.indexOf("?", start);
  return mark === -1 ? url.slice(start) : url.slice(start, mark);
}

/** Returns the query of a request's URL: empty, or everything from the `?` on. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark);
}

/** Returns the index of the path in a request's URL; -1 if there is none. Without a Host header, the URL is the path. */
export function pathStart(url: string): number {
  return url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);
}

/**
 * Decodes percent-escapes once; null for invalid paths: malformed or overlong escapes, a `..`
 * segment, a backslash, NUL and other control characters.
 */
export function decodePath(raw: string): string | null {
  const path = raw.includes("%") ? decodeOrNull(raw) : raw;
  return path === null || UNACCEPTABLE.test(path) ? null : path;
}

const UNACCEPTABLE = /[\u0000-\u001f\u007f\\]|(?:^|\/)\.\.(?:\/|$)/;

/**
 * Returns the decoded path of a request's URL if it is one that the server itself serves on every host, in any
 * encoding; otherwise null. An invalid path with the prefix of such a path counts as one, so that nothing of a site is
 * served there, not even its sign-in. Other paths are recognized without decoding.
 */
export function ownPath(url: string): string | null {
  if (!url.includes("/.") && !url.includes("%")) return null;
  const raw = pathOf(url);
  const path = decodePath(raw) ?? decodeStart(raw);
  return isOwnPath(path) ? path : null;
}

/** The URL of the operator's logo on visitors' pages. No site has a file there, because dotfiles are never served. */
export const LOGO_PATH = "/.vitrine/logo";

/** Returns whether the server itself serves the decoded path on every host. */
export function isOwnPath(path: string): boolean {
  const isPrefixed = path.startsWith("/.well-known/acme-challenge/") || path.startsWith("/.well-known/vitrine/");
  return isPrefixed || path === LOGO_PATH;
}

/** The length of the longest such prefix, `/.well-known/acme-challenge/`, with every character escaped. */
const MAX_START = 3 * 28;

/** Decodes only the prefix, one escape at a time, because the rest may be malformed. */
function decodeStart(raw: string): string {
  const start = raw.slice(0, MAX_START).replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  return start + raw.slice(MAX_START);
}
