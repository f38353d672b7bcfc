import { isOwnAddress } from "./deployments/clean-urls.ts";
import { decodeOrNull } from "./deployments/url-text.ts";

// A request's URL has been through the URL parser already; another `new URL` for every request would cost more than all
// the rest of an answer from memory.

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

/** Returns where the path begins in a request's URL; -1 where it has none. Without a Host header, the URL is the target. */
export function pathStart(url: string): number {
  return url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);
}

/**
 * Returns the path percent-decoded once, or null for what is no path of a site: broken or overlong escapes, a `..`
 * segment, a backslash, NUL and other control characters.
 */
export function decodePath(raw: string): string | null {
  const path = raw.includes("%") ? decodeOrNull(raw) : raw;
  return path === null || UNACCEPTABLE.test(path) ? null : path;
}

const UNACCEPTABLE = /[\u0000-\u001f\u007f\\]|(?:^|\/)\.\.(?:\/|$)/;

/**
 * Returns the decoded path of a request's URL where it is one that the server answers by itself on every host, however
 * it is escaped; else null. What is no path at all, but begins as they do, is one of them too: at their addresses is
 * nothing of a site, not even its sign-in. What cannot be one is told without decoding anything.
 */
export function ownAddress(url: string): string | null {
  if (!url.includes("/.") && !url.includes("%")) return null;
  const raw = pathOf(url);
  const path = decodePath(raw) ?? decodeStart(raw);
  return isOwnAddress(path) ? path : null;
}

/** The longest own folder, `/.well-known/acme-challenge/`, with every character escaped. */
const MAX_START = 3 * 28;

/** Decodes as far as an own folder reaches: one escape after the other, since what follows may be broken. */
function decodeStart(raw: string): string {
  const start = raw.slice(0, MAX_START).replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  return start + raw.slice(MAX_START);
}
