import { ownCopy } from "../own-copy.ts";
import { decodeSegments } from "../url-text.ts";

/** One segment of a pattern: text, or a `:name` that matches exactly one segment. */
export type Segment = { readonly literal: string } | { readonly name: string };

/**
 * The `from` of a rule. Percent-escapes are decoded, except %2F, which separates no segments. A trailing slash is
 * ignored, as everywhere in rules: `/a` and `/a/` are the same pattern.
 */
export interface PathPattern {
  readonly segments: readonly Segment[];
  /** The prefix of the segment with the trailing `*`; null without `*`. */
  readonly splatPrefix: string | null;
}

/** A path is compared with up to 500 patterns, segment by segment. Patterns without `:name` and `*` are in a hash map. */
export const MAX_PATTERN_SEGMENTS = 32;

/** Returns the pattern, or a message about why it is invalid. */
export function parsePattern(from: string): PathPattern | string {
  const path = decodeSegments(from);
  if (path === null) return "the path is not valid percent-encoding";
  const star = path.indexOf("*");
  if (star !== -1 && star !== path.length - 1) return "a * may stand only once, at the end of the path";
  const texts = segmentsOf(star === -1 ? path : path.slice(0, -1));
  let splatPrefix: string | null = null;
  if (star !== -1) splatPrefix = path.endsWith("/*") ? "" : (texts.pop() ?? "");
  const segments = texts.map(toSegment);
  const names = placeholderNames(segments);
  if (new Set(names).size < names.length) return "a placeholder stands twice in the path";
  if (names.includes("splat") && splatPrefix !== null)
    return ":splat is the name of what * stands for; use another one";
  const pattern = { segments, splatPrefix };
  if (segments.length > MAX_PATTERN_SEGMENTS && !isPlain(pattern)) {
    return `a path with :name or * may have at most ${MAX_PATTERN_SEGMENTS} segments`;
  }
  return pattern;
}

/** Returns the names of the placeholders, in order. */
export function placeholderNames(segments: readonly Segment[]): string[] {
  return segments.flatMap((segment) => ("name" in segment ? [segment.name] : []));
}

/** Returns whether the pattern matches a single path only. */
export function isPlain({ segments, splatPrefix }: PathPattern): boolean {
  return splatPrefix === null && segments.every((segment) => "literal" in segment);
}

/** Returns a path that matches the pattern. */
export function samplePath({ segments, splatPrefix }: PathPattern, text = "x"): string {
  const texts = segments.map((segment) => ("literal" in segment ? segment.literal : text));
  if (splatPrefix !== null) texts.push(`${splatPrefix}${text}`);
  return `/${texts.join("/")}`;
}

/** Returns the key of a plain pattern or a path in a hash map: without a trailing slash. */
export function plainKey(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** A path, prepared for matching. */
export interface SplitPath {
  /** Without a trailing slash. */
  readonly path: string;
  /** The first segments, at most one more than a pattern may have. */
  readonly segments: readonly string[];
  readonly slashAtEnd: boolean;
}

export function splitPath(path: string): SplitPath {
  return {
    path: plainKey(path),
    segments: segmentsOf(path, MAX_PATTERN_SEGMENTS + 1),
    slashAtEnd: path.length > 1 && path.endsWith("/"),
  };
}

export function matchesPattern({ segments, splatPrefix }: PathPattern, split: SplitPath): boolean {
  const { segments: path } = split;
  if (splatPrefix === null ? path.length !== segments.length : path.length < segments.length) return false;
  for (let i = 0; i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    if ("literal" in segment ? segment.literal !== path[i] : path[i] === "") return false;
  }
  if (splatPrefix === null || splatPrefix === "") return true;
  return split.path.startsWith(splatPrefix, lengthOf(path, segments.length));
}

/** Returns the value of `*` in a matching path, including a trailing slash. */
export function splatOf({ segments, splatPrefix }: PathPattern, split: SplitPath): string {
  const prefix = splatPrefix ?? "";
  const rest = split.path.slice(lengthOf(split.segments, segments.length));
  const splat = rest.slice(prefix.length) + (split.slashAtEnd && rest !== "" ? "/" : "");
  // For `/news*` and `/news/x` the slash is dropped, because the target contains it.
  return prefix !== "" && splat.startsWith("/") ? splat.slice(1) : splat;
}

/** Returns whether the first pattern matches every path that the second one matches. */
export function covers(first: PathPattern, second: PathPattern): boolean {
  const { segments, splatPrefix } = first;
  if (second.segments.length < segments.length) return false;
  for (let i = 0; i < segments.length; i += 1) {
    const mine = segments[i] as Segment;
    const theirs = second.segments[i] as Segment;
    if ("literal" in mine && !("literal" in theirs && theirs.literal === mine.literal)) return false;
  }
  const next = second.segments[segments.length];
  if (splatPrefix === null) return next === undefined && second.splatPrefix === null;
  if (splatPrefix === "") return true;
  if (next !== undefined) return "literal" in next && next.literal.startsWith(splatPrefix);
  return second.splatPrefix?.startsWith(splatPrefix) ?? false;
}

/** A text split at its placeholders: literal text, and indexes into the list of names. */
export type Template = readonly (string | number)[];

/** Returns whether a whole segment is a placeholder. */
export function isPlaceholder(segment: string): boolean {
  return /^:[A-Za-z_]\w*$/.test(segment);
}

export function toSegment(text: string): Segment {
  return isPlaceholder(text) ? { name: text.slice(1) } : { literal: text };
}

/** Splits a text at the placeholders in `names`. Any other `:name` is text, as in `https://example.com:8080/`. */
export function cutTemplate(text: string, names: readonly string[]): Template {
  const template: (string | number)[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(PLACEHOLDER)) {
    const name = names.indexOf(word.slice(1));
    if (name === -1) continue;
    if (index > end) template.push(text.slice(end, index));
    template.push(name);
    end = index + word.length;
  }
  if (end < text.length) template.push(text.slice(end));
  return template;
}

/** Returns the text of a template with values for its names. */
export function fillTemplate(template: Template, values: readonly string[]): string {
  return template.map((part) => (typeof part === "string" ? part : (values[part] as string))).join("");
}

/** Counts the words in the form of a placeholder. */
export function countPlaceholders(text: string): number {
  return text.match(PLACEHOLDER)?.length ?? 0;
}

/**
 * A cache of paths that no rule matches. A site may have hundreds of patterns, and the same paths are requested
 * repeatedly. It holds as many paths as there are patterns, so that its memory is proportional to the rules.
 */
export class Misses {
  readonly #limit: number;
  readonly #targets = new Set<string>();

  constructor(patterns: number) {
    this.#limit = patterns < MIN_PATTERNS ? 0 : patterns;
  }

  has(target: string): boolean {
    return this.#targets.has(target);
  }

  add(target: string): void {
    if (this.#limit === 0 || target.length > MAX_TARGET_LENGTH) return;
    // Tracking which paths are frequent would cost more than comparing them again.
    if (this.#targets.size >= this.#limit) this.#targets.clear();
    this.#targets.add(ownCopy(target));
  }
}

// --- internal ---

function segmentsOf(path: string, limit?: number): string[] {
  const key = plainKey(path);
  return key === "/" || key === "" ? [] : key.slice(1).split("/", limit);
}

/** Returns the start of the segment with this index. */
function lengthOf(segments: readonly string[], count: number): number {
  let at = 1;
  for (let i = 0; i < count; i += 1) at += (segments[i] as string).length + 1;
  return at;
}

const PLACEHOLDER = /:[A-Za-z_]\w*/g;

/** Comparing fewer patterns is faster than a cache look-up. */
const MIN_PATTERNS = 20;
const MAX_TARGET_LENGTH = 200;
