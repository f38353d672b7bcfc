import type { HeaderRule } from "../model/manifest.ts";
import { mayHavePlaceholders } from "./header-policy.ts";
import {
  type Glob,
  type GlobPath,
  globNames,
  globValues,
  isPlainGlob,
  matchesGlob,
  parseGlob,
  splitGlobPath,
} from "./path-glob.ts";
import { cutTemplate, fillTemplate, Misses, type Template } from "./path-pattern.ts";

/** A rule that matches a path, with its placeholders substituted. */
export interface MatchingHeaderRule extends HeaderRule {
  /** True if its path matches a single path only. */
  readonly isPlain: boolean;
  /** True if it has placeholders, so that no other path has the same values. */
  readonly isFilled: boolean;
}

/** Compiled rules of `_headers`: rules for a single path are in a hash map. */
interface HeaderMatcher {
  /** Returns the rules that match a decoded path, in file order, up to the maximum size of the fields. */
  match(path: string): readonly MatchingHeaderRule[];
}

/**
 * Maximum size of a site's own header fields in a response: clients and proxies refuse larger ones, and prepared
 * responses are kept in memory.
 */
export const MAX_FIELDS_SIZE = 16 * 1024;

/** A surcharge per field, because adding a field takes longer the more there are. */
const FIELD_OVERHEAD = 100;

/** Longer values of placeholders are omitted. */
const MAX_FILLED_LENGTH = 1000;

/**
 * Returns the share of a field in `MAX_FIELDS_SIZE`. It does not depend on the requested path,
 * so that a visitor cannot displace the fields of later rules.
 */
export function fieldSize(glob: Glob, name: string, value: string): number {
  const placeholders = countSlots(cutValue(glob, name, value));
  return name.length + value.length + FIELD_OVERHEAD + placeholders * MAX_FILLED_LENGTH;
}

export function compileHeaders(rules: readonly HeaderRule[]): HeaderMatcher {
  if (rules.length === 0) return { match: () => NONE };
  const compiled = rules.flatMap(compileRule);
  const plain = Map.groupBy(
    compiled.filter(({ rule }) => rule.isPlain),
    ({ rule }) => decodeURIComponent(rule.path),
  );
  const patterns = compiled.filter(({ rule }) => !rule.isPlain);
  const misses = new Misses(patterns.length);
  return {
    match(path) {
      if (misses.has(path)) return NONE;
      const split = splitGlobPath(path);
      const met = patterns.filter(({ glob }) => matchesGlob(glob, split));
      const own = plain.get(path);
      const all = own === undefined ? met : [...met, ...own].sort((one, other) => one.order - other.order);
      if (all.length === 0) misses.add(path);
      return withinSize(all).map((rule) => fillRule(rule, split));
    },
  };
}

// --- internal ---

const NONE: readonly MatchingHeaderRule[] = [];

interface CompiledRule {
  /** Its position in the file. */
  readonly order: number;
  readonly rule: MatchingHeaderRule;
  readonly glob: Glob;
  readonly size: number;
  /** Templates of its values; null if none has a placeholder. */
  readonly templates: readonly Template[] | null;
}

function compileRule(rule: HeaderRule, order: number): CompiledRule[] {
  const glob = parseGlob(rule.path);
  if (typeof glob === "string") return [];
  const templates = rule.set.map(([name, value]) => cutValue(glob, name, value));
  const isFilled = templates.some((template) => countSlots(template) > 0);
  const fields = [...rule.set, ...rule.remove.map((name) => [name, ""] as const)];
  const size = fields.reduce((sum, [name, value]) => sum + fieldSize(glob, name, value), 0);
  const matching = { ...rule, isPlain: isPlainGlob(glob), isFilled };
  return [{ order, rule: matching, glob, size, templates: isFilled ? templates : null }];
}

function cutValue(glob: Glob, name: string, value: string): Template {
  return mayHavePlaceholders(name) ? cutTemplate(value, globNames(glob)) : [value];
}

function countSlots(template: Template): number {
  return template.filter((part) => typeof part === "number").length;
}

function withinSize(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  let room = MAX_FIELDS_SIZE;
  return rules.filter(({ size }) => {
    if (size > room) return false;
    room -= size;
    return true;
  });
}

function fillRule({ rule, glob, templates }: CompiledRule, path: GlobPath): MatchingHeaderRule {
  if (templates === null) return rule;
  const values = globValues(glob, path).map(escapeValue);
  return { ...rule, set: rule.set.map(([name], i) => [name, fillTemplate(templates[i]!, values)] as const) };
}

/**
 * Escapes a visitor's text so that it can end neither the field nor a part of its value: only characters that
 * are unreserved in URLs (RFC 3986 section 2.3) and slashes are kept.
 */
function escapeValue(text: string): string {
  if (text.length > MAX_FILLED_LENGTH) return "";
  const escaped = encodeURIComponent(text)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, escapeByte);
  return escaped.length > MAX_FILLED_LENGTH ? "" : escaped;
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
