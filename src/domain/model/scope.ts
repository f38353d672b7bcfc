import type { TokenPermission } from "./permission.ts";
import { siteNameShapeProblem } from "./site-name.ts";

/** The access that a device requests (RFC 6749 section 3.3). Without sites, `publish` is full access to the account. */
export interface RequestedScope {
  readonly permission: TokenPermission;
  /** The only sites that it requests; empty if the user chooses them. */
  readonly siteNames: readonly string[];
  /** True if it also asks to create sites; agents only. */
  readonly newSites?: boolean;
}

/** The scope of a device that requests none. */
export const FULL_ACCESS: RequestedScope = { permission: "publish", siteNames: [] };

/** The permissions of a session that is limited to a part of its account. */
export interface SessionLimit {
  readonly permission: TokenPermission;
  /** The names are those at the time of the consent. Another site may have a name by now: only the ID counts. */
  readonly sites: readonly { readonly id: number; readonly name: string }[];
  /** True if it may also create sites, which are in its scope from then on. */
  readonly newSites?: boolean;
}

export const MAX_SCOPE_SITES = 50;
/** Including those that the agent has made since the consent. */
export const MAX_AGENT_SITES = 200;

const SITE = "site:";

/** Lets an agent create sites. */
const NEW_SITES = "new-sites";

const DEVICE_WORDS = ["publish", "preview"];
/** The words of an agent's scope; `site:<name>` follows for each site. */
export const AGENT_WORDS = ["preview", "publish", NEW_SITES];

/**
 * Returns the problem of a device's scope, or null. A scope consists of `publish`, `preview` and `site:<name>`, separated
 * by spaces, in any order. An empty scope is treated like none (RFC 6749 section 3.1).
 */
export function scopeProblem(text: string): string | null {
  return problemOf(text, DEVICE_WORDS);
}

/** The same for an agent, which may ask for `new-sites` too. */
export function agentScopeProblem(text: string): string | null {
  return problemOf(text, AGENT_WORDS);
}

function problemOf(text: string, known: readonly string[]): string | null {
  const words = wordsOf(text);
  const unknown = words.find((word) => !known.includes(word) && !word.startsWith(SITE));
  if (unknown !== undefined) return `unknown scope ${quoted(unknown)}: send ${known.join(", ")} or site:<name>`;
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

/** Parses an agent's scope without problems: `preview`, unless it asks for `publish`. */
export function parseAgentScope(text: string): RequestedScope {
  const words = wordsOf(text);
  const permission = words.includes("publish") ? "publish" : "preview";
  return { ...readScope(words), permission, newSites: words.includes(NEW_SITES) };
}

/** Formats a scope for `parseScope`. */
export function formatScope({ permission, siteNames, newSites = false }: RequestedScope): string {
  return [permission, ...(newSites ? [NEW_SITES] : []), ...siteNames.map((name) => SITE + name)].join(" ");
}

/** Formats the scope of a limited session. */
export function scopeOf({ permission, sites, newSites = false }: SessionLimit): string {
  return formatScope({ permission, newSites, siteNames: sites.map(({ name }) => name) });
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
