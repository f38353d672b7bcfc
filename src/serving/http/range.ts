import { ifRangeMatches, type Validators } from "./conditional.ts";

/** Part of a representation: both ends counted from 0, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the requested range of a representation, "unsatisfiable" (416), or null to send all of it. */
export function requestedRange(
  { method, headers }: Request,
  representation: Pick<Validators, "etag"> & { readonly size: number },
): ByteRange | "unsatisfiable" | null {
  const header = method === "GET" ? headers.get("range") : null;
  if (header === null) return null;
  const range = parseRange(header, representation.size);
  return range !== null && ifRangeMatches(headers.get("if-range"), representation) ? range : null;
}

/**
 * Returns the range in a `Range` header, "unsatisfiable", or null if the header must be ignored: another unit, invalid
 * syntax, several ranges. Many small ranges would turn a small request into a large response (CVE-2011-3192), and RFC
 * 9110 section 14.2 allows ignoring them.
 */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | null {
  if (header.length > MAX_RANGE_LENGTH) return null;
  const match = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)[ \t]*$/i.exec(header);
  if (match === null) return null;
  const [, first = "", last = ""] = match;
  if (first === "") {
    if (last === "") return null;
    const suffix = Number(last);
    if (suffix === 0) return "unsatisfiable";
    // A suffix longer than the representation is all of it (RFC 9110 section 14.1.2), and a 206 needs at least a byte.
    if (size === 0) return null;
    return { start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Number(last);
  if (last !== "" && end < start) return null;
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size - 1) };
}

// --- internal ---

const MAX_RANGE_LENGTH = 200;
