import type { HeaderRule } from "./headers-file.ts";

/** The content coding of files that are compressed already, by the last extension of their names. */
const CODINGS: Readonly<Record<string, string>> = { br: "br", gz: "gzip", svgz: "gzip", zst: "zstd" };

/** The same for people. */
export const CODED_NAMES = ".br (br), .gz or .svgz (gzip), or .zst (zstd)";

/** Returns the content coding that a file of this name has when it is compressed already; null for any other name. */
export function namedCoding(path: string): string | null {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  return path.includes(".") && Object.hasOwn(CODINGS, extension) ? (CODINGS[extension] as string) : null;
}

/** Returns the name of what is compressed: `game.wasm` of `game.wasm.br`. Any other name stays as it is. */
export function decodedName(path: string): string {
  if (namedCoding(path) === null) return path;
  return path.endsWith(".svgz") ? path.slice(0, -1) : path.slice(0, path.lastIndexOf("."));
}

/**
 * Returns how a file is compressed already, where the rules that its address meets say so; null elsewhere. Another file may
 * be shown at the address, as a page that says that there is none.
 */
export function codingOf(file: string, rules: readonly HeaderRule[]): string | null {
  const coding = namedCoding(file);
  let told: string | null = null;
  for (const { set, remove } of coding === null ? [] : rules) {
    if (remove.includes("content-encoding")) told = null;
    told = set.findLast(([name]) => name === "content-encoding")?.[1] ?? told;
  }
  return told === coding ? coding : null;
}
