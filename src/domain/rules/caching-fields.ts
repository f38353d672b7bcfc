import type { HeaderRule } from "../model/manifest.ts";
import type { MatchingHeaderRule } from "./header-matcher.ts";

/** Returns whether a field tells caches how long to keep a response. `name` is in lower case. */
export function isCachingField(name: string): boolean {
  return CACHING.test(name);
}

/**
 * Returns for how many seconds a field lets caches reuse a response without asking the server. It is 0 if they must
 * ask, and for fields that are not about caching. `name` is in lower case.
 */
export function secondsOfReuse(name: string, value: string): number {
  if (!isCachingField(name)) return 0;
  if (name === "expires") return Date.parse(value) > LATEST_PAST_DATE ? Infinity : 0;
  if (FORBIDS_REUSE.test(value)) return 0;
  if (/\bimmutable\b/i.test(value)) return Infinity;
  const lifetimes = [...value.matchAll(LIFETIME)].map(([, seconds]) => Number(seconds));
  return Math.max(0, ...lifetimes);
}

/** A field of a block of `_headers`. */
interface BlockField {
  readonly line: number;
  readonly name: string;
}

/**
 * Returns the fields that a file must not have at another file's URL, because they would let caches show it there
 * after the other file was deployed. `matching` are the blocks for the requested path, `own` those for the file's own.
 */
export function borrowedCaching(
  matching: readonly MatchingHeaderRule[],
  own: readonly HeaderRule[],
): readonly BlockField[] {
  return matching.flatMap((rule) =>
    isMeantForIt(rule, own)
      ? []
      : rule.set.filter(allowsReuse).map(([name]): BlockField => ({ line: rule.line, name })),
  );
}

/** Returns the blocks without the fields of `borrowedCaching`. */
export function withoutBorrowedCaching(
  matching: readonly MatchingHeaderRule[],
  own: readonly HeaderRule[],
): readonly MatchingHeaderRule[] {
  return matching.map((rule) =>
    isMeantForIt(rule, own) ? rule : { ...rule, set: rule.set.filter((field) => !allowsReuse(field)) },
  );
}

// --- internal ---

/** Besides `Cache-Control`, fields for a certain kind of cache, such as `CDN-Cache-Control`, which precede it (RFC 9213). */
const CACHING = /^(?:(?:.+-)?cache-control|expires|surrogate-control)$/;

const FORBIDS_REUSE = /(?:^|[\s,])no-(?:store|cache)\s*(?:,|$)/i;
const LIFETIME = /\b(?:s-maxage|max-age|stale-while-revalidate)\s*=\s*"?(\d+)/gi;

/** `Expires: 0` and dates of the last century mean that a response is stale at once. */
const LATEST_PAST_DATE = Date.UTC(2001, 0);

/** A block for a single path says so on purpose, and one for the file's own path is meant for the file. */
function isMeantForIt({ line, isPlain }: MatchingHeaderRule, own: readonly HeaderRule[]): boolean {
  return isPlain || own.some((rule) => rule.line === line);
}

function allowsReuse([name, value]: readonly [string, string]): boolean {
  return secondsOfReuse(name, value) > 0;
}
