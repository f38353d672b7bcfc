import type { HeaderRule } from "../domain/model/manifest.ts";
import { isCachingField } from "../domain/rules/caching-fields.ts";
import { isSingleValued } from "../domain/rules/header-policy.ts";
import { UNKNOWN_TYPE } from "./http/content-type.ts";
import { UNREADABLE_ELSEWHERE } from "./http/resource-policy.ts";
import type { Route } from "./ports.ts";

/** The parts of a route that affect header fields. */
type RespondingRoute = Pick<Route, "private" | "isLive">;

/** The data for the header fields of a file's response, besides its encoding. */
interface ResponseFacts {
  readonly route: RespondingRoute;
  readonly status: number;
  readonly contentType: string;
  readonly isFingerprinted: boolean;
  /** True if a request for anything but a page gets another response. */
  readonly isForPages: boolean;
  /** The page's canonical URL, absolute or as a path; null if it is this one. */
  readonly canonical: string | null;
  readonly rules: readonly HeaderRule[];
  /** The encoding of the file itself, if a rule sets it; null if the server chooses an encoding. */
  readonly coding: string | null;
}

/** Header fields by lower-case name. */
type Fields = Map<string, string>;

const PAGE_CACHE = "public, max-age=0, must-revalidate";
const FINGERPRINTED_CACHE = "public, max-age=31536000, immutable";
const PRIVATE_CACHE = "private, no-store";

/** The default of current browsers, for older ones. */
const REFERRER_POLICY = "strict-origin-when-cross-origin";

/**
 * Returns the fields of a file's response: the server's, then those that the site's `_headers` sets or removes, then
 * those that no site can change. Validators, encoding and length are added for each representation.
 */
export function fileHeaders(facts: ResponseFacts): Headers {
  const fields: Fields = new Map([
    ["content-type", facts.contentType],
    ["cache-control", facts.isFingerprinted ? FINGERPRINTED_CACHE : PAGE_CACHE],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", REFERRER_POLICY],
  ]);
  if (facts.canonical !== null) fields.set("link", `<${facts.canonical}>; rel="canonical"`);
  for (const rule of facts.rules) applyRule(fields, rule);
  return new Headers([...enforce(fields, facts)]);
}

/** Returns the fields of a file's 200 that its 304 omits; `rules` are those that match the path. */
export function fieldsLeftOut(rules: readonly HeaderRule[]): readonly string[] {
  if (rules.length === 0) return NOT_REPEATED;
  const ruled = new Set(rules.flatMap(({ set }) => set.map(([name]) => name)));
  return NOT_REPEATED.filter((name) => !ruled.has(name) || CONTENT_FIELDS.has(name));
}

/** Returns the response that redirects a visitor, with the `_headers` rules that match the path. */
export function redirectResponse(
  route: RespondingRoute,
  { location, status, headerRules }: { location: string; status: number; headerRules: readonly HeaderRule[] },
): Response {
  return new Response(null, { status, headers: [...redirectFields(route, headerRules, location)] });
}

/** Returns the fields of a redirect. Cross-origin requests also need its CORS fields. */
function redirectFields(route: RespondingRoute, rules: readonly HeaderRule[], location: string): Fields {
  const fields = siteFields(rules, [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", REFERRER_POLICY],
  ]);
  fields.set("location", location);
  // A redirect belongs to the deployment. A browser that cached a 301 forever would never see the next one.
  fields.set("cache-control", PAGE_CACHE);
  return enforceRoute(fields, route, []);
}

/** Returns the fields of the response to OPTIONS, which browsers send before cross-origin requests. */
export function optionsFields(route: RespondingRoute, rules: readonly HeaderRule[], allow: string): Fields {
  return enforceRoute(siteFields(rules, []).set("allow", allow), route, []);
}

/** Returns the fields of `_headers` for a plain page of the server, which has its own policy. */
export function plainPageFields(rules: readonly HeaderRule[]): Readonly<Record<string, string>> {
  const fields = siteFields(rules, []);
  for (const name of ["content-security-policy", "referrer-policy", "x-content-type-options"]) fields.delete(name);
  return Object.fromEntries(fields);
}

// --- internal ---

/** Returns the fields of the rules for a response without a file of the site, except those that describe content. */
function siteFields(rules: readonly HeaderRule[], before: readonly (readonly [string, string])[]): Fields {
  const fields: Fields = new Map(before);
  for (const rule of rules) applyRule(fields, rule);
  for (const name of CONTENT_FIELDS) fields.delete(name);
  return withoutCaching(fields);
}

/** Removes the fields about caching: those for a certain kind of cache precede the one that the server sets. */
function withoutCaching(fields: Fields): Fields {
  for (const name of [...fields.keys()]) if (isCachingField(name)) fields.delete(name);
  return fields;
}

/** These describe content, which a 304 does not have. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(
  "content-type content-language content-disposition content-encoding".split(" "),
);

/**
 * The server's fields that a 304 does not repeat (RFC 9110 section 15.4.5). Fields of rules are repeated: a 304 updates
 * what caches have (RFC 9111 section 4.3.4), and nothing else does until the content changes.
 */
const NOT_REPEATED: readonly string[] = [
  ...CONTENT_FIELDS,
  ..."accept-ranges link referrer-policy x-content-type-options".split(" "),
];

function applyRule(fields: Map<string, string>, rule: HeaderRule): void {
  for (const name of rule.remove) fields.delete(name);
  const own = new Set<string>();
  for (const [name, value] of rule.set) {
    const before = fields.get(name);
    // A second line of the same rule, or a later rule, extends a list, and replaces a single value.
    const isContinued = before !== undefined && (own.has(name) || !isSingleValued(name));
    fields.set(name, isContinued ? `${before}, ${value}` : value);
    own.add(name);
  }
}

function enforce(fields: Fields, { route, status, isForPages, coding }: ResponseFacts): Fields {
  // Without a type, Bun derives one from the name of the file on disk.
  if (!fields.has("content-type")) fields.set("content-type", UNKNOWN_TYPE);
  if (coding === null) fields.delete("content-encoding");
  else fields.set("content-encoding", coding);
  if (status !== 200) withoutCaching(fields).set("cache-control", "no-store");
  return enforceRoute(fields, route, ["Accept-Encoding", ...(isForPages ? ["Accept", "Sec-Fetch-Dest"] : [])]);
}

/** `chosenBy` are the request fields that the response depends on. */
function enforceRoute(fields: Fields, route: RespondingRoute, chosenBy: readonly string[]): Fields {
  const others = fields.get("vary");
  const vary = [...chosenBy, ...(route.private ? ["Cookie"] : []), ...(others === undefined ? [] : [others])];
  if (vary.length > 0) fields.set("vary", vary.join(", "));
  if (!route.isLive) fields.set("x-robots-tag", "noindex");
  if (!route.private) return fields;
  withoutCaching(fields).set("cache-control", PRIVATE_CACHE);
  for (const [name, value] of Object.entries(UNREADABLE_ELSEWHERE)) fields.set(name, value);
  return fields;
}
