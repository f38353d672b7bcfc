import { siteNameShapeProblem } from "../sites/name.ts";
import type { TokenPermission } from "../tokens/permission.ts";

/** What a device asks for (RFC 6749 section 3.3). Without sites, `publish` is full access to the account. */
export interface RequestedScope {
  readonly permission: TokenPermission;
  /** The only sites that it asks for; empty where the person chooses them. */
  readonly siteNames: readonly string[];
}

/** What a device gets that asks for no scope. */
export const FULL_ACCESS: RequestedScope = { permission: "publish", siteNames: [] };

/** All that a session may do, if it may do less than its account. */
export interface SessionLimit {
  readonly permission: TokenPermission;
  /** With the names of the time of the consent. The name may be another site's by now: only the id counts. */
  readonly sites: readonly { readonly id: number; readonly name: string }[];
}

export const MAX_SCOPE_SITES = 50;

const SITE = "site:";

/**
 * Returns what is wrong with a scope, or null. It has `publish`, `preview` and `site:<name>`, separated by spaces, in any
 * order. An empty one is as good as none (RFC 6749 section 3.1).
 */
export function scopeProblem(text: string): string | null {
  const words = wordsOf(text);
  const unknown = words.find((word) => word !== "publish" && word !== "preview" && !word.startsWith(SITE));
  if (unknown !== undefined) return `unknown scope ${quoted(unknown)}: send publish, preview or site:<name>`;
  const { siteNames } = readScope(words);
  if (siteNames.length > MAX_SCOPE_SITES) return `a scope names at most ${MAX_SCOPE_SITES} sites`;
  const unusable = siteNames.find((name) => siteNameShapeProblem(name) !== null);
  return unusable === undefined
    ? null
    : `scope ${quoted(SITE + unusable)} names no site: ${siteNameShapeProblem(unusable)}`;
}

/** Parses a scope that `scopeProblem` finds nothing wrong with; null for an empty one. */
export function parseScope(text: string): RequestedScope | null {
  return text === "" ? null : readScope(wordsOf(text));
}

/** Formats a scope for `parseScope`. */
export function formatScope({ permission, siteNames }: RequestedScope): string {
  return [permission, ...siteNames.map((name) => SITE + name)].join(" ");
}

/** Formats the scope of a limited session. */
export function scopeOf({ permission, sites }: SessionLimit): string {
  return formatScope({ permission, siteNames: sites.map(({ name }) => name) });
}

/** Returns whether a limited session reaches a site. */
export function includesSite({ sites }: SessionLimit, { id }: { readonly id: number }): boolean {
  return sites.some((site) => site.id === id);
}

function wordsOf(text: string): readonly string[] {
  return text === "" ? [] : [...new Set(text.split(" "))];
}

function readScope(words: readonly string[]): RequestedScope {
  const siteNames = words.filter((word) => word.startsWith(SITE)).map((word) => word.slice(SITE.length));
  const isPreview = words.includes("preview") && !words.includes("publish");
  return { permission: isPreview ? "preview" : "publish", siteNames };
}

function quoted(word: string): string {
  return JSON.stringify(word.slice(0, 80));
}
