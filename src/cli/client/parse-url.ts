/** Returns a URL, or null for a text that is none. Node.js has `URL.parse` only since version 22. */
export function parseUrl(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}
