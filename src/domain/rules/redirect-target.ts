import { decodeOrNull, decodeSegments, ESCAPED_SLASH, encodePath } from "../url-text.ts";
import { cutTemplate, fillTemplate, type PathPattern, type Template } from "./path-pattern.ts";

/** The source of a placeholder's value: a path segment, `*`, or a query parameter. */
export type Source =
  | { readonly segment: number }
  | { readonly splat: PathPattern }
  /** By number. Its slashes are no separators. */
  | { readonly parameter: number };

/** A compiled target. Its placeholders are numbered like its `sources`. */
export interface RedirectTarget {
  readonly sources: readonly Source[];
  /** True if it begins with a host. */
  readonly isAbsolute: boolean;
  /** The whole target, escaped: values in the path keep their slashes, values in the query are fully escaped. */
  readonly location: readonly (string | Slot)[];
  /** True if it has its own query, which replaces the visitor's. */
  readonly hasQuery: boolean;
  /** Path and query for comparison: decoded and without the fragment. */
  readonly path: Template;
  readonly query: Template;
  /** Placeholders in the host. */
  readonly hostValues: readonly number[];
}

/** A placeholder of a location. */
interface Slot {
  readonly value: number;
  readonly isWhole: boolean;
}

/** The requested path and query, decoded; `query` is empty or begins with `?`. */
interface RequestedTarget {
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
    sources,
    isAbsolute: !to.startsWith("/"),
    location: compileLocation(cutTemplate(to, names), sources),
    hasQuery: query !== "",
    path: decodeTexts(cutTemplate(path, names), decodeSegments),
    query: decodeTexts(cutTemplate(query, names), decodeOrNull),
    hostValues: cutTemplate(host, names).filter((part) => typeof part === "number"),
  };
}

/** The maximum length of a DNS name; a visitor could send more. */
const MAX_HOST_LENGTH = 253;

/** Returns whether the values form a valid part of a host name: a value that ends the host would redirect elsewhere. */
export function namesHost({ hostValues }: RedirectTarget, values: readonly string[]): boolean {
  const inHost = hostValues.map((value) => values[value] as string);
  const length = inHost.reduce((sum, text) => sum + text.length, 0);
  return length <= MAX_HOST_LENGTH && inHost.every((text) => /^[A-Za-z0-9.-]+$/.test(text));
}

/** Returns the value of `Location`. `query` is the request's. */
export function fillLocation(target: RedirectTarget, values: readonly string[], query: string): string {
  let location = "";
  for (const part of target.location) {
    if (typeof part === "string") location += part;
    else {
      const value = values[part.value] as string;
      location += (part.isWhole ? encodeURIComponent(value) : encodePath(value)).replaceAll("%01", "%2F");
    }
  }
  // Two leading slashes would turn the visitor's text into a host.
  if (!target.isAbsolute) location = location.replace(/^\/+/, "/");
  if (target.hasQuery) return location;
  const hash = location.indexOf("#");
  return hash === -1 ? location + query : location.slice(0, hash) + query + location.slice(hash);
}

/** Returns the decoded path of a rewrite. Query and fragment of the target have no effect. */
export function fillPath({ path }: RedirectTarget, values: readonly string[]): string {
  return fillTemplate(path, values).replaceAll(ESCAPED_SLASH, "/");
}

/**
 * Returns whether a redirect leads to the requested URL. Hundreds of rules may be checked for one request, so nothing
 * is escaped or copied.
 */
export function leadsToItself(target: RedirectTarget, values: readonly string[], requested: RequestedTarget): boolean {
  // A location never begins with two slashes.
  if (target.isAbsolute || requested.path.startsWith("//")) return false;
  if (!isFilled(target.path, values, requested.path)) return false;
  if (!target.hasQuery) return true;
  const inQuery = values.map((value) => value.replaceAll(ESCAPED_SLASH, "/"));
  return isFilled(target.query, inQuery, requested.decodedQuery);
}

/** Returns whether a rule with this status redirects; the others serve a file of the deployment. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/** Returns whether a rule may have this status. */
export function isRuleStatus(status: number): boolean {
  return REDIRECTS.includes(status) || REWRITES.includes(status);
}

// --- internal ---

function usedNames(to: string, known: ReadonlyMap<string, Source>): string[] {
  const all = [...known.keys()];
  const numbers = cutTemplate(to, all).filter((part) => typeof part === "number");
  return [...new Set(numbers)].map((number) => all[number] as string);
}

function compileLocation(template: Template, sources: readonly Source[]): (string | Slot)[] {
  let isInQuery = false;
  return template.map((part) => {
    if (typeof part === "number")
      return { value: part, isWhole: isInQuery || "parameter" in (sources[part] as Source) };
    isInQuery ||= part.includes("?");
    return escapeText(part);
  });
}

/** Brackets are unescaped only around an IPv6 address (RFC 3986 section 3.2.2). */
function escapeText(text: string): string {
  const escaped = encodeURI(text).replace(/%25(?=[0-9A-Fa-f]{2})/g, "%");
  return escaped.replace(/^(https?:\/\/)%5B([0-9A-F:.]+)%5D/i, "$1[$2]");
}

function decodeTexts(template: Template, decode: (text: string) => string | null): Template {
  return template.map((part) => (typeof part === "string" ? (decode(part) ?? part) : part));
}

/** Returns whether the template filled with the values equals the text. */
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
