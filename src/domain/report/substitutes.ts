import { ERROR_PAGES, type RedirectRule, type RedirectRules } from "../model/manifest.ts";
import { rewriteTarget } from "../rules/clean-urls.ts";
import { countPlaceholders } from "../rules/path-pattern.ts";

/** Why a page is shown at other addresses than its own. */
export interface Substitute {
  readonly reason: string;
  /** True if nobody opens the page at its own address, so that its relative links have no meaning there. */
  readonly isNothingElse: boolean;
}

/** Returns the pages whose relative links depend on the address asked for. */
export function findSubstitutes(files: ReadonlySet<string>, redirects: RedirectRules): ReadonlyMap<string, Substitute> {
  const found = new Map<string, Substitute>();
  for (const rule of redirects) {
    const target = targetOf(files, rule);
    if (target !== null) found.set(target, { reason: `line ${rule.line} of _redirects`, isNothingElse: false });
  }
  const hasErrorPage = ERROR_PAGES.some((page) => files.has(page));
  if (files.has("200.html")) found.set("200.html", { reason: "the single-page fallback", isNothingElse: true });
  else if (!hasErrorPage && files.has("index.html")) {
    found.set("index.html", { reason: "the single-page fallback", isNothingElse: false });
  }
  for (const file of files) {
    const isErrorPage = ERROR_PAGES.some((page) => file === page || file.endsWith(`/${page}`));
    if (isErrorPage) found.set(file, { reason: "what is not found", isNothingElse: true });
  }
  return found;
}

// --- internal ---

/** Returns the page that a rule shows in another folder than its own; null for other rules. */
function targetOf(files: ReadonlySet<string>, { from, to, status }: RedirectRule): string | null {
  const isRewrite = status === 200 || status === 404 || status === 410 || status === 451;
  if (!isRewrite || !to.startsWith("/") || countPlaceholders(to) > 0) return null;
  const target = rewriteTarget((name) => files.has(name), to.replace(/[?#][\s\S]*/, ""));
  if (target === null || isSameFolder(from, `/${target}`)) return null;
  return target;
}

/** Returns whether all addresses of a rule are in the folder of its target, where relative links mean the same. */
function isSameFolder(from: string, target: string): boolean {
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  const isFixed = !from.endsWith("*") && countPlaceholders(folder) === 0;
  return isFixed && folder === target.slice(0, target.lastIndexOf("/") + 1);
}
