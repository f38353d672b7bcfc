import type { TokenPermission } from "./permission.ts";
import { siteNameShapeProblem } from "./site-name.ts";

/** The access that a device requests (RFC 6749 section 3.3). Without sites, `publish` is full access to the account. */
export interface RequestedScope {
  readonly permission: TokenPermission;
  /** The only sites that it requests; empty if the user chooses them. */
  readonly siteNames: readonly string[];
}

/** The scope of a device that requests none. */
export const FULL_ACCESS: RequestedScope = { permission: "publish", siteNames: [] };

/** The permissions of a session that is limited to a part of its account. */
export interface SessionLimit {
  readonly permission: TokenPermission;
  /** The names are those at the time of the consent. Another site may have a name by now: only the ID counts. */
  readonly sites: readonly { readonly id: number; readonly name: string }[];
}

export const MAX_SCOPE_SITES = 50;

const SITE = "site:";

/**
 * Returns the problem of a scope, or null. A scope consists of `publish`, `preview` and `site:<name>`, separated by
 * spaces, in any order. An empty scope is treated like none (RFC 6749 section 3.1).
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

/** Parses a scope without problems according to `scopeProblem`; returns null for an empty one. */
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

/** Returns whether a limited session may access a site. */
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
