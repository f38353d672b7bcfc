/** RFC 8252 section 7.3: a program on the user's machine listens on a port that it cannot know before. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/[^#]*)?$/;

const MAX_REDIRECT_LENGTH = 2000;

/** Ends a pattern of allowed redirect URIs: any one segment. */
const ANY_SEGMENT = "/*";

/** Returns whether a redirect URI is one that was registered: exactly, but for the port of a loopback address. */
export function isRegisteredRedirect(registered: readonly string[], given: string): boolean {
  if (!isUsableRedirect(given)) return false;
  const loopback = withoutPort(given);
  return registered.some((known) => known === given || (loopback !== null && withoutPort(known) === loopback));
}

/** Returns whether a redirect URI is on the operator's list, or on the user's own machine. */
export function isAllowedRedirect(allowed: readonly string[], uri: string): boolean {
  if (!isUsableRedirect(uri)) return false;
  return withoutPort(uri) !== null || allowed.some((pattern) => fitsPattern(pattern, uri));
}

/**
 * Returns whether a redirect URI of a client's own document can be used: HTTPS, or plain HTTP on the user's machine.
 * Otherwise codes would cross the network in plain text.
 */
export function isSafeRedirect(uri: string): boolean {
  return isUsableRedirect(uri) && (URL.parse(uri)?.protocol === "https:" || withoutPort(uri) !== null);
}

/** Returns the part of a redirect URI that people recognize. */
export function redirectHost(uri: string): string {
  const { host, protocol } = new URL(uri);
  return host === "" ? protocol : host;
}

// --- internal ---

/** Without characters that programs read differently: no fragment, credentials, spaces or backslashes. */
function isUsableRedirect(uri: string): boolean {
  if (uri.length > MAX_REDIRECT_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || /[#\\"<>^`{|}]/.test(uri)) return false;
  const url = URL.parse(uri);
  return url !== null && url.username === "" && url.password === "" && !SCRIPTS.includes(url.protocol);
}

/** URLs with these schemes are code, or content. */
const SCRIPTS = ["javascript:", "data:", "vbscript:", "blob:", "file:", "about:"];

function withoutPort(uri: string): string | null {
  const [, host, path = "/"] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? null : host + path;
}

function fitsPattern(pattern: string, uri: string): boolean {
  if (!pattern.endsWith(ANY_SEGMENT)) return pattern === uri;
  const start = pattern.slice(0, -1);
  return (
    uri.startsWith(start) && /^[\w.~-]+$/.test(uri.slice(start.length)) && !/^\.\.?$/.test(uri.slice(start.length))
  );
}
