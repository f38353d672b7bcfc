/** A file of a deployment. `path` is relative, with `/` between segments; `digest` is the SHA-256 of the content in lower-case hex. */
export interface ManifestFile {
  readonly path: string;
  readonly digest: string;
  readonly size: number;
}

/** The immutable content of a deployment: its files, and its rules, which are parsed once at upload. */
export interface Manifest {
  readonly files: readonly ManifestFile[];
  readonly redirects: RedirectRules;
  readonly headers: readonly HeaderRule[];
}

/** The error pages of a folder; the first that exists is shown for what is not found in it. */
export const ERROR_PAGES: readonly string[] = ["404.html", "404/index.html"];

/** The part of a manifest that every visit needs. Files are looked up individually. */
export interface DeploymentRules {
  readonly redirects: RedirectRules;
  readonly headers: readonly HeaderRule[];
  /** The depth of the deepest folder with an error page, to limit the search; -1 if there is none. */
  readonly errorPageDepth: number;
}

export function rulesOf({ files, redirects, headers }: Manifest): DeploymentRules {
  const errorPageDepth = files.reduce((deepest, { path }) => Math.max(deepest, depthOfErrorPage(path)), -1);
  return { redirects, headers, errorPageDepth };
}

export function sizeOf({ files }: Manifest): number {
  return files.reduce((total, file) => total + file.size, 0);
}

/** A problem in an upload that does not fail it. `line` is 0 for the whole file. */
export interface Warning {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** One block of `_headers`: a path pattern with the headers it sets or removes. Names are in lower case. */
export interface HeaderRule {
  readonly line: number;
  readonly path: string;
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

/** A rule of `_redirects`. `from` is a path pattern with `:name` placeholders and at most one trailing `*`. */
export interface RedirectRule {
  readonly line: number;
  readonly from: string;
  /** Required query parameters: name → value or `:placeholder`. */
  readonly query: Readonly<Record<string, string>>;
  /** A path, an absolute URL, or empty for a 404, 410 or 451 with the server's plain page. */
  readonly to: string;
  readonly status: number;
  /** `301!`: applies even if a file exists. */
  readonly force: boolean;
}

/** All rules of a deployment, in file order. */
export type RedirectRules = readonly RedirectRule[];

// --- internal ---

/** Returns the number of folders above an error page's own; -1 for other files. */
function depthOfErrorPage(path: string): number {
  const name = ERROR_PAGES.find((page) => path === page || path.endsWith(`/${page}`));
  return name === undefined ? -1 : path.slice(0, -name.length).split("/").length - 1;
}
