import type { HeaderRule } from "./headers-file.ts";
import type { RedirectRules } from "./redirects-file.ts";

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

/** The part of a manifest that every visit needs. Files are looked up individually. */
export interface DeploymentRules {
  readonly redirects: RedirectRules;
  readonly headers: readonly HeaderRule[];
  /** The depth of the deepest `404.html`, to limit the search; -1 if there is none. */
  readonly errorPageDepth: number;
}

export function rulesOf({ files, redirects, headers }: Manifest): DeploymentRules {
  let errorPageDepth = -1;
  for (const { path } of files) {
    if (path !== "404.html" && !path.endsWith("/404.html")) continue;
    errorPageDepth = Math.max(errorPageDepth, path.split("/").length - 1);
  }
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
