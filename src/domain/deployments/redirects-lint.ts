import { cleanUrl, rewriteTarget } from "./clean-urls.ts";
import { covers, isPlain, type PathPattern, parsePattern, plainKey } from "./path-pattern.ts";
import { compileRedirects, type RedirectMatch, type RedirectMatcher } from "./redirect-matcher.ts";
import { isRedirect } from "./redirect-status.ts";
import type { RedirectRule, RedirectRules } from "./redirects-file.ts";
import { excerpt, type Warnings } from "./rule-lines.ts";
import { decodeOrNull } from "./url-text.ts";

/** Browsers give up after 20 redirects. */
const MAX_HOPS = 20;
/** All steps taken for one file while looking for circles: a deployment waits for them. */
const MAX_STEPS = 10_000;
/** As many rules that cover a later one are tried for whether they hide it: a deployment waits for that, too. */
const MAX_COVERING = 4;

/** Adds a warning for every rule that can never apply, that leads to nothing, or that runs in a circle. */
export function lintRedirects(rules: RedirectRules, files: ReadonlySet<string>, warnings: Warnings): void {
  const patterns = rules.map((rule) => ({ rule, pattern: parsePattern(rule.from) as PathPattern }));
  const site: Site = {
    files,
    has: (file) => files.has(file),
    steps: 0,
    ...compileBoth(rules),
  };
  const shadows = findShadows(patterns);
  for (const { rule, pattern } of patterns) {
    const earlier = shadows.get(rule);
    if (earlier !== undefined) {
      warnings.add(rule.line, `never applies: line ${earlier.line} answers ${excerpt(rule.from)} before it`);
    } else lintRule(site, rule, pattern, warnings);
  }
}

// --- internal ---

interface Site extends Matchers {
  readonly files: ReadonlySet<string>;
  has(file: string): boolean;
  steps: number;
}

/** Forced rules are asked before all others, and on their own: whom one of them lets through, another rule may answer. */
interface Matchers {
  readonly forced: RedirectMatcher;
  readonly other: RedirectMatcher;
}

function compileBoth(rules: RedirectRules): Matchers {
  return {
    forced: compileRedirects(rules.filter((rule) => rule.force)),
    other: compileRedirects(rules.filter((rule) => !rule.force)),
  };
}

interface Parsed {
  readonly rule: RedirectRule;
  readonly pattern: PathPattern;
}

function lintRule(site: Site, rule: RedirectRule, pattern: PathPattern, warnings: Warnings): void {
  const unknown = unknownPlaceholder(rule, pattern);
  if (unknown !== null) warnings.add(rule.line, `${unknown} stands in the target, but not in the path`);
  const hidden = isPlain(pattern) && !rule.force ? rewriteTarget(site.has, samplePath(pattern)) : null;
  if (hidden !== null) {
    warnings.add(rule.line, `never applies: the file ${excerpt(hidden)} answers; write ${rule.status}! to force it`);
  } else if (isRedirect(rule.status)) {
    const loop = leadsToItself(rule, pattern) ? `${rule.from} → ${rule.to}` : findLoop(site, asWritten(rule, pattern));
    if (loop !== null) warnings.add(rule.line, `redirects in a circle: ${excerpt(loop)}`);
  } else if (isMissingTarget(site, rule)) {
    warnings.add(rule.line, `the target ${excerpt(rule.to)} is not in this deployment`);
  }
}

/** Maps each rule that an earlier one hides to that one. */
function findShadows(parsed: readonly Parsed[]): Map<RedirectRule, RedirectRule> {
  const shadows = new Map<RedirectRule, RedirectRule>();
  const asked = [...parsed.filter(({ rule }) => rule.force), ...parsed.filter(({ rule }) => !rule.force)];
  const plain = new Map<string, RedirectRule>();
  const wide: Parsed[] = [];
  for (const { rule, pattern } of asked) {
    const key = isPlain(pattern) ? samplePath(pattern) : null;
    const candidates = [plain.get(key ?? ""), ...coveringRules(wide, pattern)];
    const earlier = candidates.find((other) => other && hides(other, rule, pattern));
    if (earlier) shadows.set(rule, earlier);
    // A rule that asks for query parameters lets other requests through, and hides nothing.
    if (earlier || Object.keys(rule.query).length > 0) continue;
    if (key === null) wide.push({ rule, pattern });
    else plain.set(key, rule);
  }
  return shadows;
}

function coveringRules(wide: readonly Parsed[], pattern: PathPattern): RedirectRule[] {
  const covering: RedirectRule[] = [];
  for (const other of wide) {
    if (covering.length === MAX_COVERING) break;
    if (covers(other.pattern, pattern)) covering.push(other.rule);
  }
  return covering;
}

/**
 * Whether nothing is left for the later rule of what both fit: a redirect does not apply where it has led already, nor
 * does one whose placeholder would name no host.
 */
function hides(earlier: RedirectRule, later: RedirectRule, pattern: PathPattern): boolean {
  // Where its placeholders would name no host, it is its own fault.
  if (placeholderInHost(later.to)) return false;
  const { forced, other } = compileBoth([earlier, later]);
  const match = (path: string, query: string) => forced.match(path, query) ?? other.match(path, query);
  const own = new URLSearchParams(later.query).toString();
  const queries = new Set([own && `?${own}`, addressOf(earlier.to)?.query ?? ""]);
  const isLeft = (path: string) =>
    queries.values().some((query) => [path, `${path}/`].some((spelling) => match(spelling, query)?.rule === later));
  if (isLeft(samplePath(pattern, NAMES_NO_HOST))) return false;
  let path = samplePath(pattern);
  for (let i = 0; i < HOPS_TO_WHERE_IT_LEADS; i += 1) {
    if (isLeft(path)) return false;
    path = sampleAt(pattern, addressWithin(match(path, ""))?.path ?? path);
  }
  return true;
}

/** A redirect that swaps placeholders, `/:a/:b /:b/x`, leads where it does not apply any more in two. */
const HOPS_TO_WHERE_IT_LEADS = 3;

const NAMES_NO_HOST = "é";

function placeholderInHost(target: string): boolean {
  return /^https?:\/\/[^/?#]*:[a-z]/i.test(target);
}

/** The path that the pattern fits and that is nearest to the target. */
function sampleAt({ segments, splatPrefix }: PathPattern, target: string): string {
  const words = plainKey(target).slice(1).split("/");
  const texts = segments.map((segment, i) => ("literal" in segment ? segment.literal : words[i] || "x"));
  const rest = words.slice(segments.length).join("/");
  if (splatPrefix) texts.push(rest.startsWith(splatPrefix) ? rest : splatPrefix);
  else if (splatPrefix === "" && rest !== "") texts.push(rest);
  return `/${texts.join("/")}`;
}

function unknownPlaceholder(rule: RedirectRule, pattern: PathPattern): string | null {
  const names = new Set(pattern.segments.flatMap((segment) => ("name" in segment ? [segment.name] : [])));
  for (const value of Object.values(rule.query)) if (value.startsWith(":")) names.add(value.slice(1));
  if (pattern.splatPrefix !== null) names.add("splat");
  for (const [, name = ""] of rule.to.matchAll(/\/:([A-Za-z_]\w*)/g)) if (!names.has(name)) return `:${name}`;
  return null;
}

/** A path that the pattern fits. */
function samplePath({ segments, splatPrefix }: PathPattern, text = "x"): string {
  const texts = segments.map((segment) => ("literal" in segment ? segment.literal : text));
  if (splatPrefix !== null) texts.push(`${splatPrefix}${text}`);
  return `/${texts.join("/")}`;
}

/** A path that the pattern fits, with the slash at its end as the rule has it: some rules only take that away. */
function asWritten(rule: RedirectRule, pattern: PathPattern, text?: string): string {
  const path = samplePath(pattern, text);
  return rule.from.endsWith("/") && path !== "/" ? `${path}/` : path;
}

function isMissingTarget({ files, has }: Site, rule: RedirectRule): boolean {
  if (files.size === 0 || rule.to === "" || /:[A-Za-z_]/.test(rule.to)) return false;
  return rewriteTarget(has, addressOf(rule.to)?.path ?? rule.to) === null;
}

/** Whether the rule leads its addresses to themselves: it is not followed then, and its circle found by nobody else. */
function leadsToItself(rule: RedirectRule, pattern: PathPattern): boolean {
  if (Object.keys(rule.query).length > 0) return false;
  const { match } = compileRedirects([rule]);
  // One of two may be there already: `/* /x/:splat`.
  return match(asWritten(rule, pattern), "") === null && match(asWritten(rule, pattern, "y"), "") === null;
}

/** Follows the redirects from a path on; returns the way when it does not end within this site. */
function findLoop(site: Site, start: string): string | null {
  let address: Address = { path: start, query: "" };
  const way = [start];
  while (way.length <= MAX_HOPS) {
    const next = redirectFrom(site, address);
    if (next === null) return null;
    const text = next.path + next.query;
    const seen = way.includes(text);
    way.push(text);
    if (seen) return way.join(" → ");
    address = next;
  }
  return `${way.slice(0, 4).join(" → ")} → …`;
}

/** An address of this site, its path decoded. */
interface Address {
  readonly path: string;
  /** Empty or begins with `?`. */
  readonly query: string;
}

/** Returns the address of this site that the address is redirected to, by a rule or to its clean path, if any. */
function redirectFrom(site: Site, { path, query }: Address): Address | null {
  site.steps += 1;
  if (site.steps > MAX_STEPS) return null;
  const forced = site.forced.match(path, query);
  if (forced !== null) return addressWithin(forced);
  if (site.has(path.slice(1))) return null;
  const page = cleanUrl(site.has, path);
  if (page !== null) return page.kind === "redirect" ? { path: page.path, query } : null;
  return addressWithin(site.other.match(path, query));
}

function addressWithin(match: RedirectMatch | null): Address | null {
  return match?.kind === "redirect" ? addressOf(match.location) : null;
}

/** Returns what a target or a location leads to; null where that is no address of this site. */
function addressOf(location: string): Address | null {
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(location) ?? [];
  const decoded = path.startsWith("/") ? decodeOrNull(path) : null;
  return decoded === null ? null : { path: decoded, query };
}
