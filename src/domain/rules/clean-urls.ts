import { isOwnPath } from "../request-target.ts";

/** The pages of a folder; the first that exists is shown. */
export const INDEX_FILES: readonly string[] = ["index.html", "index.htm"];

/** The result for a path without an exact file. */
type CleanUrl =
  | { readonly kind: "file"; readonly path: string }
  /** The canonical path of the same page; `path` begins with a slash and is not percent-encoded. */
  | { readonly kind: "redirect"; readonly path: string };

/**
 * Resolves a URL path without an exact file: `/about` is `about.html`, `/docs/` is
 * `docs/index.html` or else `docs/index.htm`, and the other spelling redirects to it. If both `x.html` and
 * `x/index.html` exist, `/x` is the file and `/x/` the folder. Null if there is neither.
 */
export function cleanUrl(has: (file: string) => boolean, path: string): CleanUrl | null {
  const name = path.slice(1);
  if (name === "" || name.endsWith("/")) {
    const index = indexOf(has, name);
    if (index !== null) return { kind: "file", path: index };
    const page = name.slice(0, -1);
    // If `about` itself is a file, `/about` is that file and not the page.
    const isPage = page !== "" && !page.endsWith("/") && has(`${page}.html`) && !has(page);
    return isPage ? { kind: "redirect", path: `/${page}` } : null;
  }
  if (has(`${name}.html`)) return { kind: "file", path: `${name}.html` };
  return indexOf(has, `${name}/`) !== null ? { kind: "redirect", path: `/${name}/` } : null;
}

/** Returns the file for a rewrite to the path: resolved like a visitor's path, but without a redirect. */
export function rewriteTarget(has: (file: string) => boolean, path: string): string | null {
  if (has(path.slice(1))) return path.slice(1);
  const found = cleanUrl(has, path);
  if (found === null) return null;
  if (found.kind === "file") return found.path;
  const again = cleanUrl(has, found.path);
  return again?.kind === "file" ? again.path : null;
}

/** Returns the clean path of a page: `/about` for `about.html`, `/docs/` for `docs/index.html`. Null for other files. */
export function canonicalPath(file: string): string | null {
  const index = INDEX_FILES.find((name) => file === name || file.endsWith(`/${name}`));
  if (index !== undefined) return `/${file.slice(0, -index.length)}`;
  return file.endsWith(".html") ? `/${file.slice(0, -".html".length)}` : null;
}

/** Returns whether a file of a deployment may be served. Rule files and dotfiles are stored but never served. */
export function isServed(file: string): boolean {
  if (file === "_redirects" || file === "_headers") return false;
  if (!file.startsWith(".") && !file.includes("/.")) return true;
  return file.startsWith(".well-known/") && !isOwnPath(`/${file}`);
}

// --- internal ---

/** Returns the page of a folder, which is empty or ends with a slash; null if it has none. */
function indexOf(has: (file: string) => boolean, folder: string): string | null {
  return INDEX_FILES.map((name) => folder + name).find(has) ?? null;
}
