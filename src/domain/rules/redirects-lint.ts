import type { RedirectRule, RedirectRules } from "../model/manifest.ts";
import { decodeSegments, ESCAPED_SLASH, encodePath } from "../url-text.ts";
import { cleanUrl, rewriteTarget } from "./clean-urls.ts";
import {
  countPlaceholders,
  covers,
  isPlain,
  matchesPattern,
  type PathPattern,
  parsePattern,
  samplePath,
  splitPath,
} from "./path-pattern.ts";
import { compileRedirects, type RedirectMatch, type RedirectMatcher } from "./redirect-matcher.ts";
import { isRedirect } from "./redirect-target.ts";
import { excerpt, type Warnings } from "./rule-lines.ts";

/** Browsers give up after 20 redirects. */
const MAX_HOPS = 20;
/** Maximum steps for one file when searching for loops, because the deployment waits for it. */
const MAX_STEPS = 10_000;

/**
 * Adds a warning for every rule that can never apply, that leads to nothing, or that forms a loop. Only what is certain
 * is reported: a rule that may apply to some path has no warning.
 */
export function lintRedirects(rules: RedirectRules, files: ReadonlySet<string>, warnings: Warnings): void {
  const parsed = parseRules(rules);
  const site = siteOf(rules, files);
  const hiding = findHidingRules(parsed);
  for (const { rule, pattern } of parsed) {
    const earlier = hiding.get(rule);
    const found = whyNeverApplies(site, rule, pattern, earlier) ?? lintTarget(site, rule, pattern);
    if (found !== null) warnings.add(rule.line, found);
    const unknown = earlier ? null : unknownPlaceholder(rule, pattern);
    if (unknown !== null) warnings.add(rule.line, `${unknown} stands in the target, but not in the path`);
  }
}

/** Returns the rules that certainly apply to no path, with the reason. */
export function rulesThatNeverApply(
  rules: RedirectRules,
  files: ReadonlySet<string>,
): readonly { readonly rule: RedirectRule; readonly why: string }[] {
  const parsed = parseRules(rules);
  const site = siteOf(rules, files);
  const hiding = findHidingRules(parsed);
  return parsed.flatMap(({ rule, pattern }) => {
    const why = whyNeverApplies(site, rule, pattern, hiding.get(rule));
    return why === null ? [] : [{ rule, why }];
  });
}

// --- internal ---

/** The site of the rules. Forced rules are evaluated before files, the others after them. */
interface Site {
  readonly files: ReadonlySet<string>;
  has(file: string): boolean;
  readonly forced: RedirectMatcher;
  readonly other: RedirectMatcher;
  steps: number;
}

function parseRules(rules: RedirectRules): readonly ParsedRule[] {
  return rules.map((rule) => ({ rule, pattern: parsePattern(rule.from) as PathPattern }));
}

function siteOf(rules: RedirectRules, files: ReadonlySet<string>): Site {
  const has = (file: string) => files.has(file.replaceAll(ESCAPED_SLASH, "/"));
  const forced = compileRedirects(rules.filter((rule) => rule.force));
  const other = compileRedirects(rules.filter((rule) => !rule.force));
  return { files, has, forced, other, steps: 0 };
}

function whyNeverApplies(
  site: Site,
  rule: RedirectRule,
  pattern: PathPattern,
  earlier: RedirectRule | undefined,
): string | null {
  if (earlier) return `never applies: line ${earlier.line} answers ${excerpt(rule.from)} before it`;
  const hidden = isPlain(pattern) && !rule.force ? rewriteTarget(site.has, samplePath(pattern)) : null;
  return hidden && `never applies: the file ${excerpt(hidden)} answers; write ${rule.status}! to force it`;
}

function lintTarget(site: Site, rule: RedirectRule, pattern: PathPattern): string | null {
  if (!isRedirect(rule.status)) {
    return isMissing(site, rule.to) ? `the target ${excerpt(rule.to)} is not in this deployment` : null;
  }
  const loop = leadsToItself(rule, pattern) ? `${rule.from} → ${rule.to}` : findLoop(site, asWritten(rule, pattern));
  return loop && `redirects in a circle: ${excerpt(loop)}`;
}

function unknownPlaceholder(rule: RedirectRule, pattern: PathPattern): string | null {
  const names = new Set(pattern.segments.flatMap((segment) => ("name" in segment ? [segment.name] : [])));
  for (const value of Object.values(rule.query)) if (value.startsWith(":")) names.add(value.slice(1));
  if (pattern.splatPrefix !== null) names.add("splat");
  for (const [, name = ""] of rule.to.matchAll(/\/:([A-Za-z_]\w*)/g)) if (!names.has(name)) return `:${name}`;
  return null;
}

function isMissing({ files, has }: Site, target: string): boolean {
  if (files.size === 0 || target === "" || countPlaceholders(target) > 0) return false;
  return rewriteTarget(has, targetOf(target)?.path ?? target) === null;
}

/** Returns whether the rule redirects paths to themselves: it does not apply then and cannot start a loop. */
function leadsToItself(rule: RedirectRule, pattern: PathPattern): boolean {
  if (Object.keys(rule.query).length > 0) return false;
  const { match } = compileRedirects([rule]);
  // Two samples, because one may be inside the target already, as `x` is for `/* /x/:splat`.
  return ["x", "y"].every((text) => match(encodePath(asWritten(rule, pattern, text)), "") === null);
}

/** A path that matches the pattern, with the rule's trailing slash, because some rules only remove that. */
function asWritten(rule: RedirectRule, pattern: PathPattern, text?: string): string {
  const path = samplePath(pattern, text);
  return rule.from.endsWith("/") && path !== "/" ? `${path}/` : path;
}

/** Follows redirects from a path. Returns the steps if they form a loop. */
function findLoop(site: Site, start: string): string | null {
  let target: Target = { path: start, query: "" };
  const way = [start];
  while (way.length <= MAX_HOPS) {
    const next = redirectFrom(site, target);
    if (next === null) return null;
    const text = next.path + next.query;
    const seen = way.includes(text);
    way.push(text);
    if (seen) return way.join(" → ");
    target = next;
  }
  return `${way.slice(0, 4).join(" → ")} → …`;
}

/** Returns the URL within this site to which a URL is redirected, by a rule or to its clean path; otherwise null. */
function redirectFrom(site: Site, { path, query }: Target): Target | null {
  site.steps += 1;
  if (site.steps > MAX_STEPS) return null;
  const forced = site.forced.match(encodePath(path), query);
  if (forced !== null) return targetWithin(forced);
  if (site.has(path.slice(1))) return null;
  const page = cleanUrl(site.has, path);
  if (page !== null) return page.kind === "redirect" ? { path: page.path, query } : null;
  return targetWithin(site.other.match(encodePath(path), query));
}

function targetWithin(match: RedirectMatch | null): Target | null {
  return match?.kind === "redirect" ? targetOf(match.location) : null;
}

interface ParsedRule {
  readonly rule: RedirectRule;
  readonly pattern: PathPattern;
}

/** Maps each hidden rule to the earlier rule that hides it. Forced rules are evaluated before all others. */
function findHidingRules(parsed: readonly ParsedRule[]): Map<RedirectRule, RedirectRule> {
  const forced = parsed.filter(({ rule }) => rule.force);
  const others = parsed.filter(({ rule }) => !rule.force);
  const hiding = new Map<RedirectRule, RedirectRule>();
  addHiding(hiding, forced);
  addHiding(hiding, [...alwaysEvaluated(forced), ...others]);
  return hiding;
}

/** Returns the forced rules that are always evaluated: those before the first `:splat` redirect, which can end matching. */
function alwaysEvaluated(forced: readonly ParsedRule[]): readonly ParsedRule[] {
  const end = forced.findIndex(({ rule }) => isRedirect(rule.status) && rule.to.includes(":splat"));
  return end === -1 ? forced : forced.slice(0, end);
}

function addHiding(hiding: Map<RedirectRule, RedirectRule>, requested: readonly ParsedRule[]): void {
  const plain = new Map<string, ParsedRule>();
  const patterns: ParsedRule[] = [];
  for (const one of requested) {
    const key = isPlain(one.pattern) ? samplePath(one.pattern) : null;
    const same = key === null ? undefined : plain.get(key);
    const earlier = same && hides(same, one) ? same : patterns.find((other) => hides(other, one));
    if (earlier !== undefined) hiding.set(one.rule, earlier.rule);
    else if (key === null) patterns.push(one);
    else plain.set(key, one);
  }
}

/** Returns whether the earlier rule applies to everything that the later one matches. */
function hides(earlier: ParsedRule, later: ParsedRule): boolean {
  const { rule, pattern } = earlier;
  if (Object.keys(rule.query).length > 0 || !covers(pattern, later.pattern)) return false;
  if (!isRedirect(rule.status)) return true;
  // A redirect does not apply to its own target, nor if a placeholder results in an invalid host.
  return !hasPlaceholderInHost(rule.to) && !leadsInto(rule.to, later.pattern);
}

function hasPlaceholderInHost(target: string): boolean {
  return /^https?:\/\/[^/?#]*:[a-z]/i.test(target);
}

/** Returns whether a target may match the pattern. */
function leadsInto(target: string, pattern: PathPattern): boolean {
  const path = targetOf(target)?.path;
  if (path === undefined) return false;
  const placeholder = path.search(/:[A-Za-z_]/);
  if (placeholder === -1) return matchesPattern(pattern, splitPath(path));
  const [led, own] = [path.slice(0, placeholder), fixedStart(pattern)];
  return led.startsWith(own) || own.startsWith(led);
}

/** The common prefix of all matching paths. */
function fixedStart({ segments, splatPrefix }: PathPattern): string {
  let start = "/";
  for (const segment of segments) {
    if ("name" in segment) return start;
    start += `${segment.literal}/`;
  }
  return start + (splatPrefix ?? "");
}

/** A URL within this site; the path is decoded except for escaped slashes. */
interface Target {
  readonly path: string;
  /** Empty or begins with `?`. */
  readonly query: string;
}

/** Parses a target or location; null if it is not within this site. */
function targetOf(location: string): Target | null {
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(location) ?? [];
  const decoded = path.startsWith("/") ? decodeSegments(path) : null;
  return decoded === null ? null : { path: decoded, query };
}
