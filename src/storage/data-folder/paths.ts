import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

/** Whether a path names a folder; one that ends with a slash does before the folder is there. */
export function isFolder(path: string): boolean {
  return path.endsWith("/") || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** Whether a path names a folder, or something in it. Follows no links: see `realPath`. */
export function liesIn(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}

/** Returns where a path leads, also where the end of it is still to be made. */
export function realPath(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole) || whole === dirname(whole)) return realpathSync(whole);
  return join(realPath(dirname(whole)), basename(whole));
}
