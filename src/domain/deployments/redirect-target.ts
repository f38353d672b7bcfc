import { cutTemplate, type PathPattern, type Template } from "./path-pattern.ts";
import { decodeOrNull, decodeSegments, ESCAPED_SLASH, encodePath } from "./url-text.ts";

/** Where the value of a placeholder comes from: a segment of the path, what `*` stands for, or a query parameter. */
export type Source =
  | { readonly segment: number }
  | { readonly splat: PathPattern }
  /** By its number. Its slashes are no separators. */
  | { readonly parameter: number };

/** A target as it is filled with the values of its placeholders, which are numbered as its `sources`. */
export interface RedirectTarget {
  readonly sources: readonly Source[];
  /** Whether it begins with a host. */
  readonly isAbsolute: boolean;
  /** The whole target, escaped: a placeholder in the path keeps its slashes, one in the query is escaped whole. */
  readonly location: readonly (string | Slot)[];
  /** Whether it has a query of its own: the visitor's is dropped then. */
  readonly hasQuery: boolean;
  /** Path and query as they are compared: decoded, and without the fragment, which no request has. */
  readonly path: Template;
  readonly query: Template;
  /** Placeholders that stand in the host. */
  readonly hostValues: readonly number[];
}

/** A placeholder of a location. */
interface Slot {
  readonly value: number;
  readonly isWhole: boolean;
}

/** The address that was asked for; both parts are decoded, and `query` is empty or begins with `?`. */
interface AskedAddress {
  readonly path: string;
  readonly decodedQuery: string;
}

/** Compiles the target of a rule whose placeholders have these sources by name. */
export function compileTarget(to: string, known: ReadonlyMap<string, Source>): RedirectTarget {
  const names = usedNames(to, known);
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(to) ?? [];
  const [host] = /^https?:\/\/[^/?#]*/i.exec(to) ?? [""];
  const sources = names.map((name) => known.get(name) as Source);
  return {
    sources: kept(sources),
    isAbsolute: !to.startsWith("/"),
    location: compileLocation(cutTemplate(to, names), sources),
    hasQuery: query !== "",
    path: decodeTexts(cutTemplate(path, names), decodeSegments),
    query: kept(decodeTexts(cutTemplate(query, names), decodeOrNull)),
    hostValues: kept(cutTemplate(host, names).filter((part) => typeof part === "number")),
  };
}

/** No name of DNS is longer, and a visitor could send much more. */
const MAX_HOST_LENGTH = 253;

/** Whether only what names a host would get into the target's: a visitor who could end it would choose another one. */
export function namesHost({ hostValues }: RedirectTarget, values: readonly string[]): boolean {
  const inHost = hostValues.map((value) => values[value] as string);
  const length = inHost.reduce((sum, text) => sum + text.length, 0);
  return length <= MAX_HOST_LENGTH && inHost.every((text) => /^[A-Za-z0-9.-]+$/.test(text));
}

/** Returns the value of the `Location` field. `query` is that of the request. */
export function fillLocation(target: RedirectTarget, values: readonly string[], query: string): string {
  let location = "";
  for (const part of target.location) {
    if (typeof part === "string") location += part;
    else {
      const value = values[part.value] as string;
      location += (part.isWhole ? encodeURIComponent(value) : encodePath(value)).replaceAll("%01", "%2F");
    }
  }
  // Two slashes at the start would make a host of what a visitor wrote.
  if (!target.isAbsolute) location = location.replace(/^\/+/, "/");
  if (target.hasQuery) return location;
  const hash = location.indexOf("#");
  return hash === -1 ? location + query : location.slice(0, hash) + query + location.slice(hash);
}

/** Returns the decoded path that a rewrite shows. Query and fragment of its target lead to no other file. */
export function fillPath({ path }: RedirectTarget, values: readonly string[]): string {
  const filled = path.map((part) => (typeof part === "string" ? part : (values[part] as string)));
  return filled.join("").replaceAll(ESCAPED_SLASH, "/");
}

/**
 * Whether a redirect would lead to the address that was asked for. Hundreds of rules may, for one request: nothing is
 * escaped or copied.
 */
export function leadsToItself(target: RedirectTarget, values: readonly string[], asked: AskedAddress): boolean {
  // A location never begins with two slashes.
  if (target.isAbsolute || asked.path.startsWith("//")) return false;
  if (!isFilled(target.path, values, asked.path)) return false;
  if (!target.hasQuery) return true;
  const inQuery = values.map((value) => value.replaceAll(ESCAPED_SLASH, "/"));
  return isFilled(target.query, inQuery, asked.decodedQuery);
}

// --- internal ---

function usedNames(to: string, known: ReadonlyMap<string, Source>): string[] {
  const all = [...known.keys()];
  const numbers = cutTemplate(to, all).filter((part) => typeof part === "number");
  return [...new Set(numbers)].map((number) => all[number] as string);
}

/** Thousands of rules have no placeholders: one empty list does for all. */
function kept<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NOTHING : list;
}

const NOTHING: readonly never[] = [];

function compileLocation(template: Template, sources: readonly Source[]): (string | Slot)[] {
  let isInQuery = false;
  return template.map((part) => {
    if (typeof part === "number")
      return { value: part, isWhole: isInQuery || "parameter" in (sources[part] as Source) };
    isInQuery ||= part.includes("?");
    return escapeText(part);
  });
}

/** Brackets stand for themselves around an IPv6 address only (RFC 3986 section 3.2.2). */
function escapeText(text: string): string {
  const escaped = encodeURI(text).replace(/%25(?=[0-9A-Fa-f]{2})/g, "%");
  return escaped.replace(/^(https?:\/\/)%5B([0-9A-F:.]+)%5D/i, "$1[$2]");
}

function decodeTexts(template: Template, decode: (text: string) => string | null): Template {
  return template.map((part) => (typeof part === "string" ? (decode(part) ?? part) : part));
}

/** Whether the template with these values is the text. */
function isFilled(template: Template, values: readonly string[], text: string): boolean {
  let at = 0;
  for (const part of template) {
    const piece = typeof part === "string" ? part : (values[part] as string);
    if (!text.startsWith(piece, at)) return false;
    at += piece.length;
  }
  return at === text.length;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const REWRITES: readonly number[] = [200, 404, 410, 451];

/** Whether a rule with this status answers with a redirect; the others answer with a file of the deployment. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/** Whether a rule may have this status. */
export function isRuleStatus(status: number): boolean {
  return REDIRECTS.includes(status) || REWRITES.includes(status);
}
