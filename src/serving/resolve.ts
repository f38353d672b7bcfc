import type { Step } from "../domain/deployments/visit-explanation.ts";
import { ERROR_PAGES, type RedirectRule } from "../domain/model/manifest.ts";
import type { StoredFile } from "../domain/ports/store/files.ts";
import { canonicalPath, cleanUrl, isServed, rewriteTarget } from "../domain/rules/clean-urls.ts";
import { hasExtension } from "../domain/rules/extensions.ts";
import { decodedName } from "../domain/rules/precompressed.ts";
import type { RedirectMatch } from "../domain/rules/redirect-matcher.ts";
import { encodePath } from "../domain/url-text.ts";
import type { CompiledManifest } from "./deployments.ts";
import { mayBeFingerprinted } from "./fingerprint.ts";
import { looksLikeAsset } from "./http/content-type.ts";

/** The parts of a request that decide the response, besides the deployment. */
export interface RequestFacts {
  /** As sent, without the query. */
  readonly path: string;
  /** The path with its escapes decoded; null if it is invalid. */
  readonly decodedPath: string | null;
  /** Empty, or everything from the `?` on. */
  readonly query: string;
  readonly accept: string | null;
  readonly secFetchDest: string | null;
}

/** The response and its reason: `rule` is the rule of `_redirects` that applied, or null. */
export type Resolution = { readonly step: Step; readonly rule: RedirectRule | null } & (
  | {
      readonly kind: "file";
      readonly file: StoredFile;
      readonly status: number;
      /** The page's canonical path when it was requested by its file name; null otherwise. */
      readonly canonical: string | null;
    }
  | { readonly kind: "redirect"; readonly location: string; readonly status: number }
  /** A plain page of the server. */
  | { readonly kind: "plain"; readonly status: number }
);

/**
 * Returns a deployment's response to a GET or HEAD. `former` is the file at this path in a recently active deployment,
 * if there is one. It is needed only if `mayBeFormer` is true for the resolution without it. The server's own paths and
 * the access check come before.
 */
export function resolve(site: CompiledManifest, request: RequestFacts, former: StoredFile | null = null): Resolution {
  const path = request.decodedPath;
  if (path === null) return { kind: "plain", status: 400, step: "bad_path", rule: null };
  const forced = site.forced.match(request.path, request.query);
  if (forced) return applyRule(site, path, forced, "forced_rule");
  const file = exactFile(site, path) ?? resolveCleanUrl(site, path, request.query);
  if (file !== null) return file;
  const match = site.rules.match(request.path, request.query);
  const applied = match && applyRule(site, path, match, "rule");
  const isMissingAsset = match !== null && applied !== null && wouldShowPageForAsset(match, applied, path);
  const ruled = isMissingAsset ? null : applied;
  const isCatchAll = match !== null && isCatchAllRewrite(match.rule);
  return (
    (isCatchAll ? null : ruled) ??
    formerFile(former) ??
    otherUnicodeForm(site, path, request.query) ??
    (isCatchAll ? ruled : null) ??
    singlePage(site, path, request) ??
    notFound(site, path, isMissingAsset ? { step: "missing_asset", rule: match.rule } : NOT_FOUND)
  );
}

/** Returns whether a file that the deployment does not have may be one of a former deployment. */
export function mayBeFormer({ step, rule }: Resolution, path: string): boolean {
  if (!BEHIND_GRACE.has(step) && !(step === "rule" && rule !== null && isCatchAllRewrite(rule))) return false;
  return mayBeFingerprinted(path) && isServed(path.slice(1));
}

/** Returns whether a file is shown at another file's path, instead of what may be there in another deployment. */
export function isSubstitute({ step }: Pick<Resolution, "step">): boolean {
  return step === "forced_rule" || step === "rule" || step === "single_page";
}

/**
 * Returns whether this is the rule `/* /index.html 200` of single-page applications. It applies last, like the
 * fallback, because an open tab still loads files of a former deployment.
 */
export function isCatchAllRewrite({ from, status, force, query }: RedirectRule): boolean {
  return from === "/*" && status === 200 && !force && Object.keys(query).length === 0;
}

// --- internal ---

type Why = Pick<Resolution, "step" | "rule">;

const NOT_FOUND: Why = { step: "not_found", rule: null };

/** The steps after that of former deployments, besides the catch-all rewrite. */
const BEHIND_GRACE: ReadonlySet<Step> = new Set(["unicode_form", "single_page", "missing_asset", "not_found"]);

function exactFile(site: CompiledManifest, path: string): Resolution | null {
  if (path.endsWith("/")) return null;
  const file = site.files.get(path.slice(1));
  if (file === null) return null;
  const clean = canonicalPath(file.path);
  // Another file may have the clean URL: `about` beside `about.html`, or `index.html` beside `index.htm`.
  const canonical = clean !== null && rewriteTarget((name) => site.files.has(name), clean) === file.path ? clean : null;
  return { kind: "file", file, status: 200, canonical, step: "exact_file", rule: null };
}

function resolveCleanUrl(site: CompiledManifest, path: string, query: string): Resolution | null {
  const why: Why = { step: "clean_url", rule: null };
  const found = cleanUrl((file) => site.files.has(file), path);
  if (found === null) return null;
  if (found.kind === "redirect") {
    return { kind: "redirect", location: encodePath(found.path) + query, status: 308, ...why };
  }
  const resolution = resolveFile(site, found.path, 200, why);
  const canonical = canonicalPath(found.path);
  return resolution.kind === "file" && canonical !== path ? { ...resolution, canonical } : resolution;
}

/**
 * Returns whether a rule for many paths would show a page at that of an asset. A missing script must not get a page:
 * "Failed to load module script" would hide the cause, and caches would keep the page under the script's name.
 */
function wouldShowPageForAsset(match: RedirectMatch, applied: Resolution, path: string): boolean {
  if (match.kind !== "rewrite" || !match.isPattern || applied.kind !== "file" || applied.status !== 200) return false;
  return hasExtension(decodedName(applied.file.path), "page") && looksLikeAsset(path);
}

function formerFile(former: StoredFile | null): Resolution | null {
  return former && { kind: "file", file: former, status: 200, canonical: null, step: "grace", rule: null };
}

/**
 * Finds the same name in composed or decomposed characters. macOS writes `é` as `e` and an accent, while browsers
 * request it as it was typed or linked.
 */
function otherUnicodeForm(site: CompiledManifest, path: string, query: string): Resolution | null {
  if (!NOT_ASCII.test(path)) return null;
  for (const form of ["NFC", "NFD"]) {
    const other = path.normalize(form);
    const found = other === path ? null : (exactFile(site, other) ?? resolveCleanUrl(site, other, query));
    if (found !== null) return { ...found, step: "unicode_form" };
  }
  return null;
}

const NOT_ASCII = /[^\u0000-\u007f]/;

/** The target of a rewrite is not matched against the rules again. If it does not exist, the response is 404. */
function applyRule(site: CompiledManifest, path: string, match: RedirectMatch, step: Step): Resolution {
  const { status } = match.rule;
  const why: Why = { step, rule: match.rule };
  if (match.kind === "redirect") return { kind: "redirect", location: match.location, status, ...why };
  if (match.path === "") return { kind: "plain", status, ...why };
  const target = rewriteTarget((file) => site.files.has(file), match.path);
  if (target !== null) return resolveFile(site, target, status, why);
  return status === 200 || status === 404 ? notFound(site, path, why) : { kind: "plain", status, ...why };
}

/** A missing script must not get a page, and `/wp-login.php` must not look as if it existed. */
function singlePage(site: CompiledManifest, path: string, request: RequestFacts): Resolution | null {
  if (site.fallback === null || looksLikeAsset(path)) return null;
  if (hasExtension(path, "page") || hasExtension(path, "generatedPage")) return null;
  if (!PAGE_DESTINATIONS.has(request.secFetchDest) || !admitsHtml(request.accept)) return null;
  return resolveFile(site, site.fallback, 200, { step: "single_page", rule: null });
}

/** `Sec-Fetch-Dest` of requests for pages. Older browsers and other clients do not send it. */
const PAGE_DESTINATIONS: ReadonlySet<string | null> = new Set(["document", "iframe", "frame", null]);

/** Finds the nearest error page up the tree. */
function notFound(site: CompiledManifest, path: string, why: Why): Resolution {
  for (const folder of foldersOf(path, site.errorPageDepth).reverse()) {
    for (const page of ERROR_PAGES) {
      const file = site.files.get(folder + page);
      if (file !== null) return { kind: "file", file, status: 404, canonical: null, ...why };
    }
  }
  return { kind: "plain", status: 404, ...why };
}

/** Returns the parent folders of a path up to a depth, the root first: ``, `docs/`, `docs/deep/`. */
function foldersOf(path: string, depth: number): string[] {
  const folders: string[] = [];
  for (let slash = 0; slash !== -1 && folders.length <= depth; slash = path.indexOf("/", slash + 1)) {
    folders.push(path.slice(1, slash + 1));
  }
  return folders;
}

/** The file is missing if the deployment is being deleted. */
function resolveFile(site: CompiledManifest, path: string, status: number, why: Why): Resolution {
  const file = site.files.get(path);
  return file === null
    ? { kind: "plain", status: 404, ...why }
    : { kind: "file", file, status, canonical: null, ...why };
}

/**
 * Returns whether an `Accept` header allows a page. The most specific range decides (RFC 9110 section 12.5.1), and a
 * client that accepts XHTML accepts HTML, too.
 */
function admitsHtml(accept: string | null): boolean {
  if (accept === null || accept === "") return true;
  const items = accept.toLowerCase().split(",");
  const admits = (range: string): boolean | null => {
    const named = items.filter((item) => item.split(";", 1)[0]?.trim() === range);
    return named.length === 0 ? null : named.some((item) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(item));
  };
  return admits("text/html") ?? admits("text/*") ?? (admits("application/xhtml+xml") || admits("*/*")) ?? false;
}
