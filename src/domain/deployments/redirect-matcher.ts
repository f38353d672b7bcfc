import { Misses } from "./misses.ts";
import {
  covers,
  isPlain,
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
import type { RedirectRule, RedirectRules } from "./redirects-file.ts";
import { decodeOrNull, decodeSegments, ESCAPED_SLASH, encodePath } from "./url-text.ts";

/**
 * The rule that a request meets, and where it leads: `location` is the value of the header field, `path` is
 * percent-decoded and empty for none.
 */
export type RedirectMatch =
  | { readonly kind: "redirect"; readonly rule: RedirectRule; readonly location: string }
  | { readonly kind: "rewrite"; readonly rule: RedirectRule; readonly path: string };

/** Rules in the form that answers quickly: plain ones in a hash map, patterns under their first segment. */
export interface RedirectMatcher {
  /**
   * Returns the first rule that a request meets. `path` is as it was sent, `query` is empty or begins with `?`.
   * A redirect to the very address that was asked for never applies; where one into a folder has led already, none of these
   * rules does.
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
      const address = path + query;
      if (misses.has(address)) return null;
      const match = matchReadings(index, path, query);
      if (match === null) misses.add(address);
      return match;
    },
  };
}

// --- internal ---

interface RuleIndex {
  readonly plain: Map<string, CompiledRule[]>;
  /** By the text of their first segment, or `ANY`. */
  readonly patterns: Map<string, CompiledRule[]>;
  /** The query parameters that rules ask for, numbered. Thousands of rules may ask for the same. */
  readonly parameters: Map<string, number>;
}

/** Where patterns stand whose first segment is a placeholder or `*`: no segment holds a slash. */
const ANY = "/";

interface CompiledRule {
  /** Its place in the file. */
  readonly order: number;
  readonly rule: RedirectRule;
  /** Null where the path is looked up. */
  readonly pattern: PathPattern | null;
  /** Query parameters that must be there: with this value, or with any. */
  readonly conditions: readonly { readonly parameter: number; readonly value: string | null }[];
  readonly target: RedirectTarget;
  /** What paths begin with that the rule leads to and would meet again, decoded; null where there are none. */
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

/** Of `/docs/* /docs/v1/:splat` it is `/docs/v1/`: what is there already would go deeper and deeper into it. */
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
 * An escaped slash is part of a segment. Where no rule answers to that, it is read as a slash: it leads to the same file,
 * and must not lead around a forced rule.
 */
function matchReadings(index: RuleIndex, path: string, query: string): RedirectMatch | null {
  if (!path.includes("%")) return found(firstMatch(index, new Asked(path, query, index.parameters)));
  const decoded = decodeSegments(path);
  if (decoded === null) return null;
  const outcome = firstMatch(index, new Asked(decoded, query, index.parameters));
  if (outcome !== null || !decoded.includes(ESCAPED_SLASH)) return found(outcome);
  return found(firstMatch(index, new Asked(decoded.replaceAll(ESCAPED_SLASH, "/"), query, index.parameters)));
}

/** `arrived` is a request that a rule has led to where it is: no other one is to lead it away from there. */
type Outcome = RedirectMatch | "arrived" | null;

function found(outcome: Outcome): RedirectMatch | null {
  return outcome === "arrived" ? null : outcome;
}

function firstMatch({ plain, patterns }: RuleIndex, asked: Asked): Outcome {
  let first: { order: number; outcome: Outcome } | null = null;
  const { segments } = asked.split;
  for (const list of [plain.get(plainKey(asked.path)), patterns.get(segments[0] ?? ANY), patterns.get(ANY)]) {
    for (const compiled of list ?? []) {
      if (first !== null && first.order < compiled.order) break;
      const outcome = matchRule(compiled, asked);
      if (outcome === null) continue;
      first = { order: compiled.order, outcome };
      break;
    }
  }
  return first?.outcome ?? null;
}

/** More parameters than any address has that a rule asks for. */
const MAX_PARAMETERS = 100;

/** To find that a rule leads to the address that was asked for takes as long as the address is. */
const MAX_PASSED_OVER = 50;

/** What is asked for: a path, decoded but for escaped slashes, and a query. What many rules look at is made once. */
class Asked {
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

  /** The values of the parameters that rules ask for, by their numbers; of several with one name the first. */
  get parameters(): readonly (string | undefined)[] {
    this.#parameters ??= parseParameters(this.query, this.numbers);
    return this.#parameters;
  }

  get decodedQuery(): string {
    this.#decodedQuery ??= decodeOrNull(this.query) ?? this.query;
    return this.#decodedQuery;
  }

  /** Counts a rule that fits and does not apply. */
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

/** Query parameters come first: to compare them costs less than all the rest, and hundreds of rules may have one path. */
function matchRule({ rule, pattern, conditions, target, ownTargets }: CompiledRule, asked: Asked): Outcome {
  for (const { parameter, value } of conditions) {
    const sent = asked.parameters[parameter];
    if (value === null ? sent === undefined : sent !== value) return null;
  }
  if (pattern !== null && !matchesPattern(pattern, asked.split)) return null;
  if (ownTargets !== null && (asked.path.startsWith(ownTargets) || `${asked.path}/` === ownTargets)) return "arrived";
  const values = target.sources.map((source) => valueFrom(source, asked));
  if (!isRedirect(rule.status)) return { kind: "rewrite", rule, path: fillPath(target, values) };
  if (!namesHost(target, values) || leadsToItself(target, values, asked)) return asked.passOver();
  return { kind: "redirect", rule, location: fillLocation(target, values, asked.query) };
}

function valueFrom(source: Source, { split, parameters }: Asked): string {
  if ("segment" in source) return split.segments[source.segment] as string;
  if ("splat" in source) return splatOf(source.splat, split);
  return (parameters[source.parameter] as string).replaceAll("/", ESCAPED_SLASH);
}
