import { decodeOrNull } from "../domain/deployments/url-text.ts";

/**
 * Returns the path percent-decoded once, or null for what is no path of a site: broken or overlong escapes, a `..`
 * segment, a backslash, NUL and other control characters.
 */
export function decodePath(raw: string): string | null {
  const path = raw.includes("%") ? decodeOrNull(raw) : raw;
  return path === null || UNACCEPTABLE.test(path) ? null : path;
}

const UNACCEPTABLE = /[\u0000-\u001f\u007f\\]|(?:^|\/)\.\.(?:\/|$)/;

/** Returns a request's absolute URL without its query. */
export function withoutQuery(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

/**
 * Returns path and query of a request's absolute URL. The URL parser has been at work on it already; another
 * `new URL` for every request would cost more than all the rest of an answer from memory.
 */
export function splitTarget(url: string): { path: string; query: string } {
  const start = url.indexOf("/", "https://".length);
  if (start === -1) return { path: "/", query: "" };
  const mark = url.indexOf("?", start);
  return mark === -1 ? { path: url.slice(start), query: "" } : { path: url.slice(start, mark), query: url.slice(mark) };
}
