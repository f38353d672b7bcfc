import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NEED_NAMES, type NeedName, withImplied } from "../../src/testing/needs.ts";

/**
 * Returns the needs that test files of the checkout declare with `needing`, or as the `program` of a row of a table, in
 * themselves or in the test helpers that they import.
 */
export function needsOfFiles(root: string, files: readonly string[]): readonly NeedName[] {
  const declared = withHelpers(root, files).flatMap((file) => {
    const declarations = readFileSync(join(root, file), "utf8").matchAll(/\bneeding\([^)]*\)|\bprogram: "[^"]+"/g);
    return [...declarations].map(([text]) => text);
  });
  return withImplied(NEED_NAMES.filter((name) => declared.some((text) => text.includes(`"${name}"`))));
}

// --- internal ---

/** Returns the files, and all files in folders `testing` of a layer that they import, directly or through each other. */
function withHelpers(root: string, files: readonly string[]): readonly string[] {
  const found = new Set(files);
  // A set also yields what is added while it is iterated.
  for (const file of found) {
    for (const [, path = ""] of readFileSync(join(root, file), "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      const imported = join(dirname(file), path);
      if (/\/\w+\/testing\//.test(imported) && existsSync(join(root, imported))) found.add(imported);
    }
  }
  return [...found];
}
