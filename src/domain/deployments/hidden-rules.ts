import { covers, isPlain, matchesPattern, type PathPattern, samplePath, splitPath } from "./path-pattern.ts";
import { addressOf } from "./redirect-address.ts";
import { isRedirect } from "./redirect-status.ts";
import type { RedirectRule } from "./redirects-file.ts";

/** A rule and its path. */
interface ParsedRule {
  readonly rule: RedirectRule;
  readonly pattern: PathPattern;
}

/** Maps each rule that an earlier one hides to that one. Forced rules are asked before all others. */
export function findHidingRules(parsed: readonly ParsedRule[]): Map<RedirectRule, RedirectRule> {
  const forced = parsed.filter(({ rule }) => rule.force);
  const others = parsed.filter(({ rule }) => !rule.force);
  const hiding = new Map<RedirectRule, RedirectRule>();
  addHiding(hiding, forced);
  addHiding(hiding, [...certainlyAsked(forced), ...others]);
  return hiding;
}

// --- internal ---

/** Where a redirect into a folder has led already, no further forced rule is asked, and the others are. */
function certainlyAsked(forced: readonly ParsedRule[]): readonly ParsedRule[] {
  const end = forced.findIndex(({ rule }) => isRedirect(rule.status) && rule.to.includes(":splat"));
  return end === -1 ? forced : forced.slice(0, end);
}

function addHiding(hiding: Map<RedirectRule, RedirectRule>, asked: readonly ParsedRule[]): void {
  const plain = new Map<string, ParsedRule>();
  const patterns: ParsedRule[] = [];
  for (const one of asked) {
    const key = isPlain(one.pattern) ? samplePath(one.pattern) : null;
    const same = key === null ? undefined : plain.get(key);
    const earlier = same && hides(same, one) ? same : patterns.find((other) => hides(other, one));
    if (earlier !== undefined) hiding.set(one.rule, earlier.rule);
    else if (key === null) patterns.push(one);
    else plain.set(key, one);
  }
}

/** Whether the earlier rule answers whatever the later one fits. */
function hides(earlier: ParsedRule, later: ParsedRule): boolean {
  const { rule, pattern } = earlier;
  if (Object.keys(rule.query).length > 0 || !covers(pattern, later.pattern)) return false;
  if (!isRedirect(rule.status)) return true;
  // A redirect does not apply where it has led already, nor where a placeholder would name no host.
  return !hasPlaceholderInHost(rule.to) && !leadsInto(rule.to, later.pattern);
}

function hasPlaceholderInHost(target: string): boolean {
  return /^https?:\/\/[^/?#]*:[a-z]/i.test(target);
}

/** Whether a target may be an address that fits the pattern. */
function leadsInto(target: string, pattern: PathPattern): boolean {
  const path = addressOf(target)?.path;
  if (path === undefined) return false;
  const placeholder = path.search(/:[A-Za-z_]/);
  if (placeholder === -1) return matchesPattern(pattern, splitPath(path));
  const [led, own] = [path.slice(0, placeholder), fixedStart(pattern)];
  return led.startsWith(own) || own.startsWith(led);
}

/** What all paths begin with that fit the pattern. */
function fixedStart({ segments, splatPrefix }: PathPattern): string {
  let start = "/";
  for (const segment of segments) {
    if ("name" in segment) return start;
    start += `${segment.literal}/`;
  }
  return start + (splatPrefix ?? "");
}
