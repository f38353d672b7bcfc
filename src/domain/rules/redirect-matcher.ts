import type { RedirectRule, RedirectRules } from "../model/manifest.ts";
import { decodeOrNull, decodeSegments, ESCAPED_SLASH, encodePath } from "../url-text.ts";
import {
  covers,
  isPlain,
  Misses,
  matchesPattern,
  type PathPattern,
  parsePattern,
  plainKey,
  type SplitPath,
  splatOf,
  splitPath,
} from "./path-pattern.ts";
import {
  compileTarget,
  fillLocation,
  fillPath,
  isRedirect,
  leadsToItself,
  namesHost,
  type RedirectTarget,
  type Source,
} from "./redirect-target.ts";

/**
 * The rule that matches a request, and its target: `location` is the value of the header field, `path` is
 * percent-decoded and empty for none. `isPattern` is true if the rule's path has `*` or `:name`.
 */
export type RedirectMatch =
  | { readonly kind: "redirect"; readonly rule: RedirectRule; readonly location: string }
  | { readonly kind: "rewrite"; readonly rule: RedirectRule; readonly path: string; readonly isPattern: boolean };

/** Compiled rules: plain ones in a hash map, patterns grouped by their first segment. */
export interface RedirectMatcher {
  /**
   * Returns the first rule that matches a request. `path` is as it was sent, `query` is empty or begins with `?`.
   * A redirect to the requested URL itself never applies. If the path is already inside the folder that a redirect with
   * `*` leads into, matching ends without a result.
   */
  match(path: string, query: string): RedirectMatch | null;
}

export function compileRedirects(rules: RedirectRules): RedirectMatcher {
  const index: RuleIndex = { plain: new Map(), patterns: new Map(), parameters: new Map() };
  for (const [order, rule] of rules.entries()) addRule(index, rule, order);
  if (index.plain.size + index.patterns.size === 0) return { match: () => null };
  const misses = new Misses(index.patterns.values().reduce((sum, { length }) => sum + length, 0));
  return {
    match(path, query) {
      const target = path + query;
      if (misses.has(target)) return null;
      const match = matchReadings(index, path, query);
      if (match === null) misses.add(target);
      return match;
    },
  };
}

// --- internal ---

interface RuleIndex {
  readonly plain: Map<string, CompiledRule[]>;
  /** By the text of their first segment, or `ANY`. */
  readonly patterns: Map<string, CompiledRule[]>;
  /** The query parameters in rules, numbered, because thousands of rules may have the same one. */
  readonly parameters: Map<string, number>;
}

/** The key of patterns whose first segment is a placeholder or `*`. No segment contains a slash. */
const ANY = "/";

interface CompiledRule {
  /** Its position in the file. */
  readonly order: number;
  readonly rule: RedirectRule;
  /** Null if the path is in the hash map. */
  readonly pattern: PathPattern | null;
  /** Required query parameters, with this value or any. */
  readonly conditions: readonly { readonly parameter: number; readonly value: string | null }[];
  readonly target: RedirectTarget;
  /** The decoded prefix of targets that the rule would match again; null if there are none. */
  readonly ownTargets: string | null;
}

function addRule({ plain, patterns, parameters }: RuleIndex, rule: RedirectRule, order: number): void {
  const pattern = parsePattern(rule.from);
  if (typeof pattern === "string") return;
  if (isPlain(pattern)) {
    append(plain, `/${firstLiterals(pattern).join("/")}`, {
      ...compileRule(rule, pattern, order, parameters),
      pattern: null,
    });
  } else append(patterns, firstLiterals(pattern)[0] ?? ANY, compileRule(rule, pattern, order, parameters));
}

function compileRule(
  rule: RedirectRule,
  pattern: PathPattern,
  order: number,
  parameters: Map<string, number>,
): CompiledRule {
  const sources = new Map<string, Source>();
  for (const [i, segment] of pattern.segments.entries())
    if ("name" in segment) sources.set(segment.name, { segment: i });
  if (pattern.splatPrefix !== null) sources.set("splat", { splat: pattern });
  const conditions = Object.entries(rule.query).map(([name, value]) => {
    const parameter = parameters.get(name) ?? parameters.size;
    parameters.set(name, parameter);
    if (!value.startsWith(":")) return { parameter, value };
    sources.set(value.slice(1), { parameter });
    return { parameter, value: null };
  });
  const target = compileTarget(rule.to, sources);
  return { order, rule, pattern, conditions, target, ownTargets: ownTargets(rule, pattern, target) };
}

/** For `/docs/* /docs/v1/:splat` it is `/docs/v1/`: without the check, redirects would nest endlessly. */
function ownTargets({ status }: RedirectRule, pattern: PathPattern, target: RedirectTarget): string | null {
  if (pattern.splatPrefix === null || !isRedirect(status) || target.isAbsolute) return null;
  const [start] = target.path;
  if (typeof start !== "string" || !target.sources.some((source) => "splat" in source)) return null;
  const led = parsePattern(`${encodePath(start)}*`);
  return typeof led !== "string" && covers(pattern, led) ? start : null;
}

/** Returns the literal segments at the start of a pattern: all of them for a plain one. */
function firstLiterals({ segments }: PathPattern): string[] {
  const literals: string[] = [];
  for (const segment of segments) {
    if ("name" in segment) break;
    literals.push(segment.literal);
  }
  return literals;
}

function append(map: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [rule]);
  else list.push(rule);
}

/**
 * An escaped slash is part of a segment. If no rule matches, it is read as a slash, because it leads to the same file
 * and must not bypass a forced rule.
 */
function matchReadings(index: RuleIndex, path: string, query: string): RedirectMatch | null {
  if (!path.includes("%")) return found(firstMatch(index, new Requested(path, query, index.parameters)));
  const decoded = decodeSegments(path);
  if (decoded === null) return null;
  const outcome = firstMatch(index, new Requested(decoded, query, index.parameters));
  if (outcome !== null || !decoded.includes(ESCAPED_SLASH)) return found(outcome);
  return found(firstMatch(index, new Requested(decoded.replaceAll(ESCAPED_SLASH, "/"), query, index.parameters)));
}

/** `arrived` is a request that already results from a rule; no other rule may redirect it. */
type Outcome = RedirectMatch | "arrived" | null;

function found(outcome: Outcome): RedirectMatch | null {
  return outcome === "arrived" ? null : outcome;
}

function firstMatch({ plain, patterns }: RuleIndex, requested: Requested): Outcome {
  let first: { order: number; outcome: Outcome } | null = null;
  const { segments } = requested.split;
  for (const list of [plain.get(plainKey(requested.path)), patterns.get(segments[0] ?? ANY), patterns.get(ANY)]) {
    for (const compiled of list ?? []) {
      if (first !== null && first.order < compiled.order) break;
      const outcome = matchRule(compiled, requested);
      if (outcome === null) continue;
      first = { order: compiled.order, outcome };
      break;
    }
  }
  return first?.outcome ?? null;
}

/** More query parameters than any legitimate URL for a rule has. */
const MAX_PARAMETERS = 100;

/** Checking whether a rule leads to the requested URL is linear in the length of the URL. */
const MAX_PASSED_OVER = 50;

/** A request: the path, decoded except for escaped slashes, and the query. Values used by many rules are memoized. */
class Requested {
  readonly split: SplitPath;
  #parameters: readonly (string | undefined)[] | null = null;
  #decodedQuery: string | null = null;
  #passedOver = 0;

  constructor(
    readonly path: string,
    readonly query: string,
    readonly numbers: ReadonlyMap<string, number>,
  ) {
    this.split = splitPath(path);
  }

  /** The values of the parameters in rules, by number; the first of several with the same name. */
  get parameters(): readonly (string | undefined)[] {
    this.#parameters ??= parseParameters(this.query, this.numbers);
    return this.#parameters;
  }

  get decodedQuery(): string {
    this.#decodedQuery ??= decodeOrNull(this.query) ?? this.query;
    return this.#decodedQuery;
  }

  /** Counts a rule that matches but does not apply. */
  passOver(): "arrived" | null {
    this.#passedOver += 1;
    return this.#passedOver < MAX_PASSED_OVER ? null : "arrived";
  }
}

function parseParameters(query: string, numbers: ReadonlyMap<string, number>): readonly (string | undefined)[] {
  const values: (string | undefined)[] = new Array(numbers.size).fill(undefined);
  const first = query.slice(1).split("&", MAX_PARAMETERS).join("&");
  for (const [name, value] of new URLSearchParams(first)) {
    const number = numbers.get(name);
    if (number !== undefined) values[number] ??= value;
  }
  return values;
}

/** Query parameters are compared first: it is the cheapest check, and hundreds of rules may have the same path. */
function matchRule({ rule, pattern, conditions, target, ownTargets }: CompiledRule, requested: Requested): Outcome {
  for (const { parameter, value } of conditions) {
    const sent = requested.parameters[parameter];
    if (value === null ? sent === undefined : sent !== value) return null;
  }
  if (pattern !== null && !matchesPattern(pattern, requested.split)) return null;
  if (ownTargets !== null && (requested.path.startsWith(ownTargets) || `${requested.path}/` === ownTargets))
    return "arrived";
  const values = target.sources.map((source) => valueFrom(source, requested));
  if (!isRedirect(rule.status)) {
    return { kind: "rewrite", rule, path: fillPath(target, values), isPattern: pattern !== null };
  }
  if (!namesHost(target, values) || leadsToItself(target, values, requested)) return requested.passOver();
  return { kind: "redirect", rule, location: fillLocation(target, values, requested.query) };
}

function valueFrom(source: Source, { split, parameters }: Requested): string {
  if ("segment" in source) return split.segments[source.segment] as string;
  if ("splat" in source) return splatOf(source.splat, split);
  return (parameters[source.parameter] as string).replaceAll("/", ESCAPED_SLASH);
}
