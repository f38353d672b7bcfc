import { decodeSegments } from "./url-text.ts";

/** An address of this site, its path decoded but for escaped slashes. */
export interface Address {
  readonly path: string;
  /** Empty or begins with `?`. */
  readonly query: string;
}

/** Returns what a target or a location leads to; null where that is no address of this site. */
export function addressOf(location: string): Address | null {
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(location) ?? [];
  const decoded = path.startsWith("/") ? decodeSegments(path) : null;
  return decoded === null ? null : { path: decoded, query };
}
