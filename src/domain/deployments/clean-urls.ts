import { isOwnAddress } from "../request-target.ts";

/** The result for a path without an exact file. */
type CleanUrl =
  | { readonly kind: "file"; readonly path: string }
  /** The canonical path of the same page; `path` begins with a slash and is not percent-encoded. */
  | { readonly kind: "redirect"; readonly path: string };

/**
 * Resolves a URL path without an exact file: `/about` is `about.html`, `/docs/` is
 * `docs/index.html`, and the other spelling redirects to it. If both `x.html` and
 * `x/index.html` exist, `/x` is the file and `/x/` the folder. Null if there is neither.
 */
export function cleanUrl(has: (file: string) => boolean, path: string): CleanUrl | null {
  const name = path.slice(1);
  if (name === "" || name.endsWith("/")) {
    if (has(`${name}index.html`)) return { kind: "file", path: `${name}index.html` };
    const page = name.slice(0, -1);
    // If `about` itself is a file, `/about` is that file and not the page.
    const isPage = page !== "" && !page.endsWith("/") && has(`${page}.html`) && !has(page);
    return isPage ? { kind: "redirect", path: `/${page}` } : null;
  }
  if (has(`${name}.html`)) return { kind: "file", path: `${name}.html` };
  return has(`${name}/index.html`) ? { kind: "redirect", path: `/${name}/` } : null;
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
  if (file === "index.html") return "/";
  if (file.endsWith("/index.html")) return `/${file.slice(0, -"index.html".length)}`;
  return file.endsWith(".html") ? `/${file.slice(0, -".html".length)}` : null;
}

/** Returns whether a file of a deployment may be served. Rule files and dotfiles are stored but never served. */
export function isServed(file: string): boolean {
  if (file === "_redirects" || file === "_headers") return false;
  if (!file.startsWith(".") && !file.includes("/.")) return true;
  return file.startsWith(".well-known/") && !isOwnAddress(`/${file}`);
}
