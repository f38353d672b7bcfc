import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

/** Returns whether a path is a folder. One that ends with a slash counts as a folder even before it exists. */
export function isFolder(path: string): boolean {
  return path.endsWith("/") || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** Returns whether a path is a folder or is inside it. Follows no links: see `realPath`. */
export function liesIn(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}

/** Resolves links in a path, even if its end does not exist yet. */
export function realPath(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole) || whole === dirname(whole)) return realpathSync(whole);
  return join(realPath(dirname(whole)), basename(whole));
}
