import {
  type Captures,
  covers,
  isPlain,
  matchPattern,
  type PathPattern,
  parsePattern,
  plainKey,
  type SplitPath,
  splitPath,
} from "./path-pattern.ts";
import { isRedirect } from "./redirect-status.ts";
import type { RedirectRule, RedirectRules } from "./redirects-file.ts";
import { decodeOrNull, encodePath } from "./url-text.ts";

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
   * Returns the first rule that a request meets; `path` is percent-decoded, `query` is empty or begins with `?`.
   * A redirect to the very address that was asked for never applies; where one into a folder has led already, none of these
   * rules does.
   */
  match(path: string, query: string): RedirectMatch | null;
}

export function compileRedirects(rules: RedirectRules): RedirectMatcher {
  const plain = new Map<string, CompiledRule[]>();
  const patterns = new Map<string, CompiledRule[]>();
  for (const [order, rule] of rules.entries()) {
    const compiled = compileRule(rule, order);
    if (compiled === null) continue;
    const { pattern } = compiled;
    if (isPlain(pattern)) append(plain, `/${literals(pattern).join("/")}`, compiled);
    else append(patterns, literals(pattern)[0] ?? ANY, compiled);
  }
  if (plain.size + patterns.size === 0) return { match: () => null };
  return { match: (path, query) => firstMatch(plain, patterns, path, query) };
}

// --- internal ---

/** Where patterns stand whose first segment is a placeholder or `*`: no segment holds a slash. */
const ANY = "/";

interface CompiledRule {
  readonly order: number;
  readonly rule: RedirectRule;
  readonly pattern: PathPattern;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly target: Template;
  /** What paths begin with that the rule leads to and would meet again, decoded; null where there are none. */
  readonly ownTargets: string | null;
  /** Placeholders that stand in the host of the target. */
  readonly hostNames: readonly string[];
  /** Placeholders whose value comes from the query, where a slash is no separator. */
  readonly queryNames: readonly string[];
}

/** A target cut at its placeholders. */
type Template = readonly Part[];

type Part = { readonly text: string } | { readonly name: string };

function compileRule(rule: RedirectRule, order: number): CompiledRule | null {
  const pattern = parsePattern(rule.from);
  if (typeof pattern === "string") return null;
  const query = Object.entries(rule.query);
  const queryNames = query.flatMap(([, value]) => (value.startsWith(":") ? [value.slice(1)] : []));
  const names = new Set(queryNames);
  for (const segment of pattern.segments) if ("name" in segment) names.add(segment.name);
  if (pattern.splatPrefix !== null) names.add("splat");
  const target = cutTemplate(rule.to, names);
  const host = /^https?:\/\/[^/?#]*/i.exec(rule.to)?.[0] ?? "";
  const hostNames = cutTemplate(host, names).flatMap((part) => ("name" in part ? [part.name] : []));
  return { order, rule, pattern, query, target, ownTargets: ownTargets(rule, pattern, target), hostNames, queryNames };
}

/** Of `/docs/* /docs/v1/:splat` it is `/docs/v1/`: what is there already would go deeper and deeper into it. */
function ownTargets({ to, status }: RedirectRule, pattern: PathPattern, target: Template): string | null {
  if (pattern.splatPrefix === null || !isRedirect(status) || !to.startsWith("/")) return null;
  const [first] = target;
  if (!first || !("text" in first) || !target.some((part) => "name" in part && part.name === "splat")) return null;
  const start = decodeText(first.text);
  const led = parsePattern(encodeURI(`${start}*`));
  return typeof led !== "string" && covers(pattern, led) ? start : null;
}

/** A `:name` that the rule does not define is text: `https://example.com:8080/`, `/wiki/Talk:Page`. */
function cutTemplate(to: string, names: ReadonlySet<string>): Template {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: word, index } of to.matchAll(/:[A-Za-z_]\w*/g)) {
    const name = word.slice(1);
    if (!names.has(name)) continue;
    parts.push({ text: to.slice(end, index) }, { name });
    end = index + word.length;
  }
  return [...parts, { text: to.slice(end) }];
}

/** The literal segments at the start of a pattern: all of them for a plain one. */
function literals(pattern: PathPattern): string[] {
  const end = pattern.segments.findIndex((segment) => "name" in segment);
  const start = end === -1 ? pattern.segments : pattern.segments.slice(0, end);
  return start.flatMap((segment) => ("literal" in segment ? [segment.literal] : []));
}

function append(map: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [rule]);
  else list.push(rule);
}

type Rules = ReadonlyMap<string, readonly CompiledRule[]>;

function firstMatch(plain: Rules, patterns: Rules, path: string, query: string): RedirectMatch | null {
  const split = splitPath(path);
  const request = { path, query, split, parameters: query === "" ? NO_PARAMETERS : new URLSearchParams(query) };
  let first: { order: number; match: RedirectMatch | "arrived" } | null = null;
  for (const list of [plain.get(plainKey(path)), patterns.get(split.segments[0] ?? ANY), patterns.get(ANY)]) {
    for (const compiled of list ?? []) {
      if (first !== null && first.order < compiled.order) break;
      const match = matchRule(compiled, request);
      if (match === null) continue;
      first = { order: compiled.order, match };
      break;
    }
  }
  return first === null || first.match === "arrived" ? null : first.match;
}

const NO_PARAMETERS = new URLSearchParams();

interface Request {
  readonly path: string;
  readonly query: string;
  readonly split: SplitPath;
  readonly parameters: URLSearchParams;
}

/** Returns `arrived` where the rule has led the request already: no other one is to lead it away from there. */
function matchRule(compiled: CompiledRule, request: Request): RedirectMatch | "arrived" | null {
  const { rule, target, hostNames, ownTargets } = compiled;
  const captures = matchPattern(compiled.pattern, request.split);
  if (captures === null || !captureQuery(compiled, request.parameters, captures)) return null;
  if (ownTargets !== null && (request.path.startsWith(ownTargets) || `${request.path}/` === ownTargets))
    return "arrived";
  if (!isRedirect(rule.status)) return { kind: "rewrite", rule, path: rewritePath(target, captures) };
  if (hostNames.some((name) => !NAMES_A_HOST.test(captures[name] ?? ""))) return null;
  const location = withQuery(fillLocation(compiled, captures), request.query);
  return location === encodePath(request.path) + request.query ? null : { kind: "redirect", rule, location };
}

/** A visitor who could end the host would choose another one: `https://:t.example.com/` with `evil.test/`. */
const NAMES_A_HOST = /^[A-Za-z0-9.-]+$/;

function captureQuery({ query }: CompiledRule, parameters: URLSearchParams, captures: Captures): boolean {
  return query.every(([name, wanted]) => {
    const value = parameters.get(name);
    if (value === null) return false;
    if (!wanted.startsWith(":")) return value === wanted;
    captures[wanted.slice(1)] = value;
    return true;
  });
}

/** A visitor's text goes in escaped, and never makes `//host` out of a path: that would lead to any host he likes. */
function fillLocation({ target, queryNames }: CompiledRule, captures: Captures): string {
  let location = "";
  for (const part of target) {
    if ("text" in part) {
      location += escapeText(part.text);
      continue;
    }
    const isWhole = location.includes("?") || queryNames.includes(part.name);
    const value = captures[part.name] ?? "";
    location += isWhole ? encodeURIComponent(value) : encodePath(value);
  }
  return location.startsWith("/") ? location.replace(/^\/+/, "/") : location;
}

/** Brackets stand for themselves around an IPv6 address only (RFC 3986 section 3.2.2). */
function escapeText(text: string): string {
  const escaped = encodeURI(text).replace(/%25(?=[0-9A-Fa-f]{2})/g, "%");
  return escaped.replace(/^(https?:\/\/)%5B([0-9A-F:.]+)%5D/i, "$1[$2]");
}

/** The query and fragment of a target lead to no other file; what a visitor wrote ends neither. */
function rewritePath(template: Template, captures: Captures): string {
  let path = "";
  for (const part of template) {
    if ("name" in part) path += captures[part.name] ?? "";
    else {
      const [text = "", ...query] = part.text.split(/[?#]/);
      path += decodeText(text);
      if (query.length > 0) break;
    }
  }
  return path;
}

function decodeText(text: string): string {
  return decodeOrNull(text) ?? text;
}

/** The query goes along, unless the target has one of its own: a `?` in a fragment, `/#/find?q=1`, begins none. */
function withQuery(location: string, query: string): string {
  const hash = location.indexOf("#");
  const start = hash === -1 ? location : location.slice(0, hash);
  return start.includes("?") ? location : start + query + location.slice(start.length);
}
