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

/** Something in an upload that did not stop it, but that its owner should know. `line` is 0 where the whole file is meant. */
export interface Warning {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}
