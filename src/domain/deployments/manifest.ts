import type { HeaderRule } from "./headers-file.ts";
import type { RedirectRules } from "./redirects-file.ts";

/** A file of a deployment. `path` is relative, with `/` between segments; `digest` is the SHA-256 of the content in lower-case hex. */
export interface ManifestFile {
  readonly path: string;
  readonly digest: string;
  readonly size: number;
}

/** What a deployment is: its files and the rules that came with them, parsed once when it was made. Never changes afterwards. */
export interface Manifest {
  readonly files: readonly ManifestFile[];
  readonly redirects: RedirectRules;
  readonly headers: readonly HeaderRule[];
}

/** What a visit needs of a deployment besides the files that it asks for. */
export interface DeploymentRules {
  readonly redirects: RedirectRules;
  readonly headers: readonly HeaderRule[];
  /** In how many folders the deepest `404.html` lies: none is looked for below. -1 where there is none. */
  readonly errorPageDepth: number;
}

/** Returns a manifest without its files. */
export function rulesOf({ files, redirects, headers }: Manifest): DeploymentRules {
  let errorPageDepth = -1;
  for (const { path } of files) {
    if (path !== "404.html" && !path.endsWith("/404.html")) continue;
    errorPageDepth = Math.max(errorPageDepth, path.split("/").length - 1);
  }
  return { redirects, headers, errorPageDepth };
}

/** Returns the bytes of all files. */
export function sizeOf({ files }: Manifest): number {
  return files.reduce((total, file) => total + file.size, 0);
}

/** Something in an upload that did not stop it, but that its owner should know. `line` is 0 where the whole file is meant. */
export interface Warning {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}
