import { decodeOrNull } from "./url-text.ts";

/** One segment of a pattern: text, or a `:name` that stands for exactly one segment. */
export type Segment = { readonly literal: string } | { readonly name: string };

/**
 * The `from` of a rule. Percent-escapes are decoded; a slash at the end means nothing, as everywhere in rules:
 * `/a` and `/a/` are one pattern.
 */
export interface PathPattern {
  readonly segments: readonly Segment[];
  /** What the segment with the trailing `*` begins with; null when there is no `*`. */
  readonly splatPrefix: string | null;
}

/** What the placeholders of a pattern stand for in one path; `*` is kept under `splat`. */
export type Captures = Record<string, string>;

/** Returns the pattern, or a sentence that says why it is none. */
export function parsePattern(from: string): PathPattern | string {
  const path = decodeOrNull(from);
  if (path === null) return "the path is not valid percent-encoding";
  const star = path.indexOf("*");
  if (star !== -1 && star !== path.length - 1) return "a * may stand only once, at the end of the path";
  const texts = segmentsOf(star === -1 ? path : path.slice(0, -1));
  let splatPrefix: string | null = null;
  if (star !== -1) splatPrefix = path.endsWith("/*") ? "" : (texts.pop() ?? "");
  const segments = texts.map(
    (text): Segment => (/^:[A-Za-z_]\w*$/.test(text) ? { name: text.slice(1) } : { literal: text }),
  );
  const names = segments.flatMap((segment) => ("name" in segment ? [segment.name] : []));
  if (new Set(names).size < names.length) return "a placeholder stands twice in the path";
  if (names.includes("splat") && splatPrefix !== null)
    return ":splat is the name of what * stands for; use another one";
  return { segments, splatPrefix };
}

/** Whether the pattern stands for one path only. */
export function isPlain(pattern: PathPattern): boolean {
  return pattern.splatPrefix === null && pattern.segments.every((segment) => "literal" in segment);
}

/** Returns the one spelling under which a plain pattern, or a path, is looked up. */
export function plainKey(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function segmentsOf(path: string): string[] {
  const key = plainKey(path);
  return key === "/" || key === "" ? [] : key.slice(1).split("/");
}

/** A path in the form that patterns are matched against. */
export interface SplitPath {
  /** Without a slash at the end. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly slashAtEnd: boolean;
}

export function splitPath(path: string): SplitPath {
  return { path: plainKey(path), segments: segmentsOf(path), slashAtEnd: path.length > 1 && path.endsWith("/") };
}

/**
 * Returns what the placeholders stand for, or null when the path does not fit. A slash at the path's end belongs to
 * what `*` stands for. Takes time linear in the path.
 */
export function matchPattern(pattern: PathPattern, split: SplitPath): Captures | null {
  const { segments: path, slashAtEnd } = split;
  const { segments, splatPrefix } = pattern;
  if (splatPrefix === null ? path.length !== segments.length : path.length < segments.length) return null;
  let at = 1;
  for (let i = 0; i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    const text = path[i] as string;
    if ("literal" in segment ? segment.literal !== text : text === "") return null;
    at += text.length + 1;
  }
  const rest = splatPrefix === null ? "" : split.path.slice(at);
  if (!rest.startsWith(splatPrefix ?? "")) return null;
  const captures: Captures = Object.create(null);
  for (const [i, segment] of segments.entries()) if ("name" in segment) captures[segment.name] = path[i] as string;
  if (splatPrefix !== null) {
    const splat = rest.slice(splatPrefix.length) + (slashAtEnd && rest !== "" ? "/" : "");
    // `/news*` asked for `/news/x`: the slash stands between, and is in the target already.
    captures.splat = splatPrefix !== "" && splat.startsWith("/") ? splat.slice(1) : splat;
  }
  return captures;
}

/** Whether every path that fits the second pattern also fits the first. */
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
