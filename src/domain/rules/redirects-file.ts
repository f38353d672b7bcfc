import type { RedirectRule, RedirectRules, Warning } from "../model/manifest.ts";
import { countPlaceholders, isPlain, parsePattern } from "./path-pattern.ts";
import { isRedirect, isRuleStatus } from "./redirect-target.ts";
import { lintRedirects } from "./redirects-lint.ts";
import { excerpt, ruleLines, Warnings } from "./rule-lines.ts";

/** All plain rules together cost one look-up, but each pattern rule a comparison: hence two limits. */
const MAX_PLAIN_RULES = 2000;
const MAX_PATTERN_RULES = 500;
/** Many rules may have the same path, and all their query parameters are compared. */
const MAX_PARAMETERS = 8;
/** The value of each can be as long as the requested URL. */
const MAX_PLACEHOLDERS = 20;

/**
 * Parses a `_redirects` file. A line that is invalid or can never apply becomes a warning;
 * it never fails a deployment. With `files`, the paths of the deployment, it also finds rules that a file hides,
 * that lead to nothing, or that form a loop.
 */
export function parseRedirects(
  text: string,
  files: ReadonlySet<string> = new Set(),
): { rules: RedirectRules; warnings: Warning[] } {
  const warnings = new Warnings("_redirects");
  const rules: RedirectRule[] = [];
  const counts = { plain: 0, pattern: 0 };
  for (const line of ruleLines(text, warnings)) {
    const rule = parseLine(line.number, line.text);
    if (typeof rule === "string") {
      warnings.add(line.number, `${rule}: ${excerpt(line.text)}`);
      continue;
    }
    const kind = isPlainRule(rule) ? "plain" : "pattern";
    counts[kind] += 1;
    const limit = kind === "plain" ? MAX_PLAIN_RULES : MAX_PATTERN_RULES;
    if (counts[kind] <= limit) rules.push(rule);
    else if (counts[kind] === limit + 1) {
      warnings.add(line.number, `a deployment may have ${limit} ${kind} rules; from this line on they were left out`);
    }
  }
  lintRedirects(rules, files, warnings);
  return { rules, warnings: warnings.list() };
}

/** Formats a rule as a line of `_redirects`, with its status; the order of parameters is arbitrary. */
export function redirectLine({ from, query, to, status, force }: RedirectRule): string {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return [from, ...parameters, to, `${status}${force ? "!" : ""}`].filter((word) => word !== "").join(" ");
}

// --- internal ---

function isPlainRule(rule: RedirectRule): boolean {
  const pattern = parsePattern(rule.from);
  return typeof pattern !== "string" && isPlain(pattern);
}

/** Parses a line, `from [name=value…] [to] [status[!]]`. Returns the rule, or what is wrong with it. */
function parseLine(number: number, text: string): RedirectRule | string {
  const words = withoutComment(text.split(/\s+/));
  const [from = "", ...rest] = words;
  const wrongFrom = problemWithPath(from);
  if (wrongFrom !== null) return wrongFrom;
  const end = rest.findIndex((word) => isTarget(word) || parseStatus(word) !== null);
  if (end === -1) return "the target is missing: it is a path that begins with / or an http(s) URL";
  const query = parsePairs(rest.slice(0, end));
  if (typeof query === "string") return query;
  const hasTarget = isTarget(rest[end] as string);
  const to = hasTarget ? (rest[end] as string) : "";
  const [statusWord, ...conditions] = rest.slice(hasTarget ? end + 1 : end);
  const status = statusWord === undefined ? { status: 301, force: false } : parseStatus(statusWord);
  if (status === null) {
    return statusWord?.includes("=")
      ? condition(statusWord)
      : `the status ${excerpt(statusWord ?? "")} is not supported`;
  }
  if (conditions.length > 0) return condition(conditions[0] as string);
  return problemWithTarget(to, status.status) ?? { line: number, from, query, to, ...status };
}

function withoutComment(words: string[]): string[] {
  const start = words.findIndex((word) => word.startsWith("#"));
  return start === -1 ? words : words.slice(0, start);
}

function problemWithPath(from: string): string | null {
  if (isAbsolute(from)) return "rules for a host are not supported: the path must begin with /";
  if (!from.startsWith("/")) return "the path must begin with /";
  if (from.includes("?")) return "query parameters are written as name=value after the path";
  const pattern = parsePattern(from);
  return typeof pattern === "string" ? pattern : null;
}

function problemWithTarget(to: string, status: number): string | null {
  if (countPlaceholders(to) > MAX_PLACEHOLDERS) return `a target may have at most ${MAX_PLACEHOLDERS} placeholders`;
  if (to.startsWith("//")) return "the target must not begin with //: write https:// before the host";
  if (to === "" && (status === 200 || isRedirect(status))) return "the target is missing";
  if (isRedirect(status) || !isAbsolute(to)) return null;
  return "other hosts are not proxied: a rule with this status needs a path of this site";
}

function condition(word: string): string {
  return `the condition ${excerpt(word)} is not supported, so the rule was left out`;
}

function isAbsolute(word: string): boolean {
  return /^https?:\/\/[^/]/i.test(word);
}

function isTarget(word: string): boolean {
  return word.startsWith("/") || isAbsolute(word);
}

function parseStatus(word: string): { status: number; force: boolean } | null {
  const match = /^(\d{3})(!?)$/.exec(word);
  const status = Number(match?.[1]);
  return isRuleStatus(status) ? { status, force: match?.[2] === "!" } : null;
}

function parsePairs(words: readonly string[]): Record<string, string> | string {
  if (words.length > MAX_PARAMETERS) return `a rule may ask for at most ${MAX_PARAMETERS} query parameters`;
  const pairs: Record<string, string> = {};
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals < 1) return `${excerpt(word)} is neither a query parameter nor a target`;
    const name = word.slice(0, equals);
    // Rules are stored as JSON, which this name does not survive.
    if (name === "__proto__") return "a query parameter may not have this name";
    pairs[name] = word.slice(equals + 1);
  }
  return pairs;
}
