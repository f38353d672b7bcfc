import { type Manifest, rulesOf } from "../../domain/model/manifest.ts";
import type { StoredFile } from "../../domain/ports/store/files.ts";
import { isServed } from "../../domain/rules/clean-urls.ts";
import { type CompiledManifest, compileManifest } from "../deployments.ts";

/** Returns a deployment with its files in memory, and no encodings to come. */
export function compiledFrom(manifest: Manifest): CompiledManifest {
  const files = new Map<string, StoredFile>();
  for (const file of manifest.files) {
    if (isServed(file.path)) files.set(file.path, { ...file, encodings: {}, isEncoded: true, isLegacyText: false });
  }
  return compileManifest(rulesOf(manifest), {
    get: (path) => files.get(path) ?? null,
    has: (path) => files.has(path),
  });
}
