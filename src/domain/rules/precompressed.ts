import type { HeaderRule } from "../model/manifest.ts";

/** The content coding of precompressed files, by the last extension of their names. */
const CODINGS: Readonly<Record<string, string>> = { br: "br", gz: "gzip", svgz: "gzip", zst: "zstd" };

/** The same for people. */
export const CODED_NAMES = ".br (br), .gz or .svgz (gzip), or .zst (zstd)";

/** Returns the content coding that the name of a precompressed file implies; null for other names. */
export function namedCoding(path: string): string | null {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  return path.includes(".") && Object.hasOwn(CODINGS, extension) ? (CODINGS[extension] as string) : null;
}

/** Returns the name without that extension: `game.wasm` for `game.wasm.br`. Other names are unchanged. */
export function decodedName(path: string): string {
  if (namedCoding(path) === null) return path;
  return path.endsWith(".svgz") ? path.slice(0, -1) : path.slice(0, path.lastIndexOf("."));
}

/**
 * Returns the content coding of a precompressed file if the rules for its path declare it; otherwise null. Another file may
 * be served at the path, such as a 404 page.
 */
export function codingOf(file: string, rules: readonly HeaderRule[]): string | null {
  const coding = namedCoding(file);
  let declared: string | null = null;
  for (const { set, remove } of coding === null ? [] : rules) {
    if (remove.includes("content-encoding")) declared = null;
    declared = set.findLast(([name]) => name === "content-encoding")?.[1] ?? declared;
  }
  return declared === coding ? coding : null;
}
