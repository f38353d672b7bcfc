import { isServed } from "../domain/deployments/clean-urls.ts";
import type { HeaderRule } from "../domain/deployments/headers-file.ts";
import type { Manifest, ManifestFile } from "../domain/deployments/manifest.ts";
import { type Glob, matchGlob, parseGlob } from "../domain/deployments/path-glob.ts";
import { compileRedirects, type RedirectMatcher } from "../domain/deployments/redirect-matcher.ts";
import { FileTable } from "./file-table.ts";

/** A manifest in the form that answers quickly. It belongs to an immutable deployment, and never changes either. */
export interface CompiledManifest {
  /** The files that may be served. */
  readonly files: FileTable;
  readonly forced: RedirectMatcher;
  /** Whether there are forced rules at all: only then may an existing file not be the answer. */
  readonly hasForced: boolean;
  readonly rules: RedirectMatcher;
  /** What a single-page application answers with for its own addresses; null when the site is none. */
  readonly fallback: ManifestFile | null;
  /** Rules of both files, for weighing. */
  readonly ruleCount: number;
  /** Returns the `_headers` rules that a decoded path meets, in the order of the file. */
  headerRules(path: string): readonly HeaderRule[];
}

export function compileManifest(manifest: Manifest): CompiledManifest {
  const files = new FileTable(manifest.files.filter(({ path }) => isServed(path)));
  const forced = manifest.redirects.filter((rule) => rule.force);
  const globs = manifest.headers.flatMap(compileHeaderRule);
  return {
    files,
    forced: compileRedirects(forced),
    hasForced: forced.length > 0,
    rules: compileRedirects(manifest.redirects.filter((rule) => !rule.force)),
    fallback: files.get("200.html") ?? (files.has("404.html") ? null : (files.get("index.html") ?? null)),
    ruleCount: manifest.redirects.length + manifest.headers.length,
    headerRules:
      globs.length === 0
        ? () => []
        : (path) => globs.filter(({ glob }) => matchGlob(glob, path)).map(({ rule }) => rule),
  };
}

// --- internal ---

function compileHeaderRule(rule: HeaderRule): { rule: HeaderRule; glob: Glob }[] {
  const glob = parseGlob(rule.path);
  return typeof glob === "string" ? [] : [{ rule, glob }];
}
