/** Identifies one version of a representation. */
export interface Validators {
  /** A strong entity tag, quotes included. */
  readonly etag: string;
  /** Whole seconds, in milliseconds since the epoch; null if unknown. */
  readonly lastModified: number | null;
}

/**
 * Returns 304 or 412 if the conditions of a GET or HEAD require it, otherwise 200, in the order of RFC 9110 section
 * 13.2.2. `If-Range` is part of the range.
 */
export function evaluateConditions(headers: Headers, { etag, lastModified }: Validators): 200 | 304 | 412 {
  const ifMatch = headers.get("if-match");
  if (ifMatch !== null) {
    if (!listMatches(ifMatch, etag, "strong")) return 412;
  } else {
    const date = parseHttpDate(headers.get("if-unmodified-since"));
    if (date !== null && lastModified !== null && lastModified > date) return 412;
  }
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null) return listMatches(ifNoneMatch, etag, "weak") ? 304 : 200;
  const date = parseHttpDate(headers.get("if-modified-since"));
  return date !== null && lastModified !== null && lastModified <= date ? 304 : 200;
}

/**
 * Returns whether a range may be taken from this representation (RFC 9110 section 13.1.5): only if the header has
 * exactly its entity tag. A date is a weak validator and never matches, because two activations may share a second.
 */
export function ifRangeMatches(header: string | null, { etag }: Pick<Validators, "etag">): boolean {
  return header === null || header.trim() === etag;
}

/**
 * Parses an HTTP date to milliseconds; null if it is invalid. The two obsolete formats of RFC 9110 section 5.6.7 are
 * accepted too.
 */
export function parseHttpDate(text: string | null): number | null {
  if (text === null || !HTTP_DATE.test(text)) return null;
  const obsolete = /^(\w{3}) (\w{3}) {1,2}(\d{1,2}) (\S+) (\d{4})$/.exec(text);
  const at = Date.parse(obsolete ? `${obsolete[3]} ${obsolete[2]} ${obsolete[5]} ${obsolete[4]} GMT` : text);
  return Number.isNaN(at) ? null : at;
}

// --- internal ---

const HTTP_DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** Compares a list of entity tags with one strong tag. Malformed members are ignored. */
function listMatches(header: string, etag: string, comparison: "strong" | "weak"): boolean {
  if (header === etag || header.trim() === "*") return true;
  for (const [, weak, tag] of header.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (tag === etag && (weak === undefined || comparison === "weak")) return true;
  }
  return false;
}
