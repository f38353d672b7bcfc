import { compileHeaders, type MetHeaderRule } from "../domain/deployments/header-matcher.ts";
import type { DeploymentRules } from "../domain/deployments/manifest.ts";
import { compileRedirects, type RedirectMatcher } from "../domain/deployments/redirect-matcher.ts";
import type { StoredFile } from "../domain/ports/store/files.ts";

/** The files of a deployment that may be served, by their paths. */
export interface FileLookup {
  get(path: string): StoredFile | null;
  has(path: string): boolean;
}

/**
 * A deployment in the form that answers quickly: its rules compiled, its files where they are. It is immutable, but for
 * the encodings of files, which are added later.
 */
export interface CompiledManifest {
  readonly files: FileLookup;
  readonly forced: RedirectMatcher;
  /** Whether there are forced rules at all: only then may an existing file not be the answer. */
  readonly hasForced: boolean;
  readonly rules: RedirectMatcher;
  /** What a single-page application answers with for its own addresses; null when the site is none. */
  readonly fallback: string | null;
  /** In how many folders the deepest `404.html` lies; -1 where there is none. */
  readonly errorPageDepth: number;
  /** Rules of both files, for weighing. */
  readonly ruleCount: number;
  /** Returns the `_headers` rules that a decoded path meets, in the order of the file. */
  headerRules(path: string): readonly MetHeaderRule[];
}

export function compileManifest(rules: DeploymentRules, files: FileLookup): CompiledManifest {
  const forced = rules.redirects.filter((rule) => rule.force);
  const isApplication = files.has("index.html") && !files.has("404.html");
  return {
    files,
    forced: compileRedirects(forced),
    hasForced: forced.length > 0,
    rules: compileRedirects(rules.redirects.filter((rule) => !rule.force)),
    fallback: files.has("200.html") ? "200.html" : isApplication ? "index.html" : null,
    errorPageDepth: rules.errorPageDepth,
    ruleCount: rules.redirects.length + rules.headers.length,
    headerRules: compileHeaders(rules.headers).match,
  };
}
