import type { Entry } from "./entry.ts";
import { validateStart } from "./name.ts";

/** What of an archive becomes the site. */
export interface Selection {
  /** Files with their path in the site, in the order of the archive. */
  readonly files: readonly SelectedFile[];
  /** Paths that were left out: files, and whole folders with a `/` at the end. */
  readonly leftOut: readonly string[];
  readonly strippedFolder: string | null;
}

export interface SelectedFile {
  readonly path: string;
  readonly entry: Entry;
}

const LEFT_OUT_FOLDERS = ["__MACOSX", ".git"];
const LEFT_OUT_FILES = [".DS_Store", "Thumbs.db"];
/** A glance that spares most paths from being taken apart. */
const SUSPICIOUS = /__MACOSX|\.git|\.DS_Store|Thumbs\.db/;

/** Whether an entry is what an operating system or Git left there, and not part of the site. */
export function isLeftOut(entry: Entry): boolean {
  return leftOutBy(entry) !== null;
}

/**
 * Leaves out what is not part of the site, and strips the one folder in which everything lies. Throws `invalid` where an
 * absolute path is what remains.
 */
export function selectFiles(entries: readonly Entry[]): Selection {
  const leftOut = new Set<string>();
  const kept: Entry[] = [];
  for (const entry of entries) {
    const reason = leftOutBy(entry);
    if (reason !== null) leftOut.add(reason);
    else kept.push(entry);
  }
  const files = kept.filter((entry) => !entry.folder);
  const strippedFolder = wrappingFolder(kept);
  const skip = strippedFolder === null ? 0 : strippedFolder.length + 1;
  const selected = files.map((entry) => ({ path: entry.path.slice(skip), entry }));
  for (const { path, entry } of selected) validateStart(entry.name, path);
  return {
    files: selected,
    leftOut: [...leftOut],
    strippedFolder,
  };
}

/** Returns the folder in which everything lies, or null. The path of the root, where it is listed, is empty. */
function wrappingFolder(entries: readonly Entry[]): string | null {
  const first = entries[0]?.path.split("/", 1)[0];
  if (!first) return null;
  const prefix = `${first}/`;
  const inside = (entry: Entry) => entry.path.startsWith(prefix) || (entry.folder && entry.path === first);
  return entries.every(inside) ? first : null;
}

/** Returns the file or folder because of which an entry is left out, or null. */
function leftOutBy({ path, folder }: Entry): string | null {
  if (!SUSPICIOUS.test(path)) return null;
  const segments = path.split("/");
  const folders = folder ? segments : segments.slice(0, -1);
  const depth = folders.findIndex((segment) => LEFT_OUT_FOLDERS.includes(segment));
  if (depth >= 0) return `${segments.slice(0, depth + 1).join("/")}/`;
  return !folder && LEFT_OUT_FILES.includes(segments.at(-1)!) ? path : null;
}
