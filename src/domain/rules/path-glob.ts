import { decodeOrNull } from "../url-text.ts";
import { isPlaceholder, MAX_PATTERN_SEGMENTS, placeholderNames, type Segment, toSegment } from "./path-pattern.ts";

/**
 * The path of a `_headers` rule: `*` matches any text including slashes, and a segment `:name` one segment. The parts are
 * in path order.
 */
export interface Glob {
  /** Whole segments before the first `*`; all segments if there is none. */
  readonly head: readonly Segment[];
  /** The texts around the stars; null if there are none. */
  readonly stars: {
    /** The prefix of the segment with the first `*`. */
    readonly prefix: string;
    /** The texts between two stars. */
    readonly middles: readonly string[];
    /** The suffix of the segment with the last `*`. */
    readonly suffix: string;
  } | null;
  /** Whole segments after the last `*`. */
  readonly tail: readonly Segment[];
}

/** Text between two stars is searched in the whole path, with a partial match possible at each position. */
const MAX_MIDDLE_LENGTH = 50;
const MAX_STARS = 4;

/** Returns the glob, or a message about why the text is invalid. */
export function parseGlob(text: string): Glob | string {
  const path = decodeOrNull(text);
  if (path === null) return "the path is not valid percent-encoding";
  const parts = path.slice(1).split("*");
  if (parts.length > MAX_STARS + 1) return `a path may have at most ${MAX_STARS} *`;
  for (const middle of parts.slice(1, -1)) {
    // Only literal text between two stars has a unique leftmost match, which keeps matching linear.
    if (middle.split("/").slice(1, -1).some(isPlaceholder)) return "a placeholder may not stand between two *";
    if (middle.length > MAX_MIDDLE_LENGTH) return `at most ${MAX_MIDDLE_LENGTH} characters may stand between two *`;
  }
  const glob = makeGlob(parts);
  if (glob.head.length + glob.tail.length > MAX_PATTERN_SEGMENTS && !isPlainGlob(glob)) {
    return `a path with :name or * may have at most ${MAX_PATTERN_SEGMENTS} segments`;
  }
  return glob;
}

/** Returns whether the glob matches a single path only. */
export function isPlainGlob({ head, stars }: Glob): boolean {
  return stars === null && head.every((segment) => "literal" in segment);
}

/** Returns the names of what `globValues` returns: the placeholders, and `splat` where there is one `*`. */
export function globNames({ head, stars, tail }: Glob): string[] {
  return [...placeholderNames(head), ...(isSplat(stars) ? ["splat"] : []), ...placeholderNames(tail)];
}

/** A decoded path, prepared for matching. */
export interface GlobPath {
  readonly path: string;
  /** The first segments, at most one more than a glob may have. */
  readonly first: readonly string[];
  /** The last segments in reverse order. */
  readonly last: readonly string[];
}

export function splitGlobPath(path: string): GlobPath {
  const last: string[] = [];
  for (let end = path.length; end > 0 && last.length <= MAX_PATTERN_SEGMENTS; ) {
    const slash = path.lastIndexOf("/", end - 1);
    last.push(path.slice(slash + 1, end));
    end = slash;
  }
  return { path, first: path.slice(1).split("/", MAX_PATTERN_SEGMENTS + 1), last };
}

/** Returns whether the glob matches the path. Linear in the length of the path, without backtracking. */
export function matchesGlob(glob: Glob, split: GlobPath): boolean {
  const { head, stars, tail } = glob;
  const { path, first, last } = split;
  if (stars === null) return first.length === head.length && fits(head, first, 0, 1);
  if (first.length <= head.length || last.length <= tail.length) return false;
  if (!fits(head, first, 0, 1) || !fits(tail, last, tail.length - 1, -1)) return false;
  const { start, end } = starRange(glob, split);
  if (start + stars.prefix.length > end - stars.suffix.length) return false;
  if (!path.startsWith(stars.prefix, start) || !path.endsWith(stars.suffix, end)) return false;
  let at = start + stars.prefix.length;
  for (const middle of stars.middles) {
    const found = path.indexOf(middle, at);
    if (found === -1) return false;
    at = found + middle.length;
  }
  return at <= end - stars.suffix.length;
}

/** Returns the values of the placeholders in a matching path. */
export function globValues(glob: Glob, split: GlobPath): string[] {
  const { head, stars, tail } = glob;
  const { start, end } = starRange(glob, split);
  const splat = stars && split.path.slice(start + stars.prefix.length, end - stars.suffix.length);
  return [
    ...named(head, (i) => split.first[i] as string),
    ...(splat !== null && isSplat(stars) ? [splat] : []),
    ...named(tail, (i) => split.last[tail.length - 1 - i] as string),
  ];
}

// --- internal ---

/** Builds the glob from the texts around its stars; without stars there is only one. */
function makeGlob(parts: readonly string[]): Glob {
  const head = (parts[0] as string).split("/");
  if (parts.length === 1) return { head: head.map(toSegment), stars: null, tail: [] };
  const prefix = head.pop() as string;
  const [suffix = "", ...tail] = (parts.at(-1) as string).split("/");
  const stars = { prefix, middles: parts.slice(1, -1), suffix };
  return { head: head.map(toSegment), stars, tail: tail.map(toSegment) };
}

/** Only a single star has a name. */
function isSplat(stars: Glob["stars"]): boolean {
  return stars !== null && stars.middles.length === 0;
}

/** Returns whether the segments match the path's, starting at `at` and continuing by `step`. */
function fits(segments: readonly Segment[], path: readonly string[], at: number, step: 1 | -1): boolean {
  for (let i = 0; i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    const text = path[at + i * step];
    if ("literal" in segment ? segment.literal !== text : text === "") return false;
  }
  return true;
}

/** Returns the range of the segments with stars. */
function starRange({ head, tail }: Glob, { path, first, last }: GlobPath): { start: number; end: number } {
  let start = 1;
  for (let i = 0; i < head.length; i += 1) start += (first[i] as string).length + 1;
  let end = path.length;
  for (let i = 0; i < tail.length; i += 1) end -= (last[i] as string).length + 1;
  return { start, end };
}

function named(segments: readonly Segment[], textAt: (index: number) => string): string[] {
  return segments.flatMap((segment, i) => ("name" in segment ? [textAt(i)] : []));
}
