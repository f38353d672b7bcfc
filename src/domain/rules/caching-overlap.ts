import type { HeaderRule, Manifest, RedirectRule, Warning } from "../model/manifest.ts";
import { DAY, SECOND } from "../timestamp.ts";
import { decodeOrNull } from "../url-text.ts";
import { secondsOfReuse } from "./caching-fields.ts";
import { rewriteTarget } from "./clean-urls.ts";
import { hasExtension } from "./extensions.ts";
import { compileHeaders } from "./header-matcher.ts";
import { countPlaceholders } from "./path-pattern.ts";

/** Nobody reads more of them, and a site with this many made the same mistake in each. */
const MAX_OVERLAPS = 10;

/**
 * Returns warnings about blocks of `_headers` that let caches keep responses for a day or longer at URLs where a
 * rewrite shows a page. Their owner expects files there.
 */
export function warnAboutCaching(
  files: ReadonlySet<string>,
  { redirects, headers }: Pick<Manifest, "redirects" | "headers">,
): Warning[] {
  const rewrites = redirects.flatMap((rule) => pageRewrite(files, rule));
  if (rewrites.length === 0) return [];
  const warnings = headers.filter(keepsForADay).flatMap((block): Warning[] => {
    const start = literalStart(block.path);
    const rewrite = rewrites.find((one) => one.start.startsWith(start) || start.startsWith(one.start));
    return rewrite ? [{ file: "_headers", line: block.line, message: messageAbout(block, rewrite) }] : [];
  });
  return warnings.slice(0, MAX_OVERLAPS);
}

// --- internal ---

interface PageRewrite {
  readonly line: number;
  /** What all its URLs begin with. */
  readonly start: string;
  /** The page, a file of the deployment unless it depends on the URL. */
  readonly page: string;
}

/** Returns the rule if it shows a page at many URLs. */
function pageRewrite(files: ReadonlySet<string>, { line, from, to, status }: RedirectRule): PageRewrite[] {
  const start = literalStart(from);
  if (status !== 200 || start === from) return [];
  const path = decodeOrNull(to.replace(/[?#].*$/, "")) ?? "";
  const page = countPlaceholders(path) > 0 ? path.slice(1) : rewriteTarget((file) => files.has(file), path);
  return page !== null && hasExtension(page, "page") ? [{ line, start, page }] : [];
}

/** Returns a path of either rule file up to its first `*` or `:name`. */
function literalStart(path: string): string {
  const end = path.search(/\*|\/:[A-Za-z_]\w*(?:\/|$)/);
  return end === -1 ? path : path.slice(0, path[end] === "*" ? end : end + 1);
}

function keepsForADay({ path, set }: HeaderRule): boolean {
  if (literalStart(path) === path) return false;
  return set.some(([name, value]) => secondsOfReuse(name, value) >= DAY / SECOND);
}

function messageAbout(block: HeaderRule, { line, page }: PageRewrite): string {
  const isForPage = compileHeaders([block]).match(`/${page}`).length > 0;
  return isForPage
    ? `lets caches keep ${page} for a day or longer wherever line ${line} of _redirects shows it, so visitors may not see the next deployment: write a path that does not match /${page}`
    : `lets caches keep what is at ${block.path} for a day or longer, and line ${line} of _redirects shows ${page} where no file is: there it is sent without this caching, and a missing asset is 404`;
}
