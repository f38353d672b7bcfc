import type { Dirent, Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { Failure } from "../errors.ts";
import type { SourceFile } from "./source.ts";

export const IGNORE_FILE = ".vitrineignore";

/**
 * Never wanted on a site. The lines of .vitrineignore come after these, so that `!node_modules/` takes one back in.
 * The last two are this program's own.
 */
const LEFT_OUT = [".git/", "node_modules/", "__MACOSX/", ".DS_Store", "Thumbs.db", `/${IGNORE_FILE}`, "/vitrine.json"];

interface Scan {
  readonly root: string;
  readonly ignored: Ignore;
  readonly files: SourceFile[];
  readonly notes: string[];
}

/** Returns the files of a folder in the order of their paths; links count when what they lead to lies inside. */
export async function scanFolder(
  folder: string,
): Promise<{ readonly files: readonly SourceFile[]; readonly notes: readonly string[] }> {
  const root = await realpath(folder);
  const scan: Scan = { root, ignored: await readIgnoreFile(root), files: [], notes: [] };
  await scanInto(scan, root, "", [root]);
  scan.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return scan;
}

async function readIgnoreFile(root: string): Promise<Ignore> {
  const lines = await readFile(join(root, IGNORE_FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new Failure(`${IGNORE_FILE} cannot be read (${error.code}).`, "Fix or remove it.");
  });
  return ignore().add(LEFT_OUT).add(lines);
}

const RENAME = `Rename it, or exclude it in ${IGNORE_FILE}.`;

/** `above` holds the real paths of the folders around, where a link back would never end. */
async function scanInto(scan: Scan, folder: string, prefix: string, above: readonly string[]): Promise<void> {
  for (const entry of await list(folder, prefix)) {
    const path = prefix + entry.name;
    const target = entry.isSymbolicLink() ? await follow(scan, folder, path, entry.name) : join(folder, entry.name);
    if (target === null) continue;
    const info = await look(scan, target, path);
    if (info === null) continue;
    if (scan.ignored.ignores(info.isDirectory() ? `${path}/` : path)) continue;
    if (info.isDirectory()) {
      if (above.includes(target)) scan.notes.push(`${path} is a link to a parent folder; skipped.`);
      else await scanInto(scan, target, `${path}/`, [...above, target]);
    } else if (info.isFile()) {
      scan.files.push({ path: checkName(path), file: target, size: info.size });
    } else {
      scan.notes.push(`${path} is neither a file nor a folder; skipped.`);
    }
  }
}

/** Returns what a path is; null where it cannot be told and does not matter. */
async function look({ ignored }: Scan, target: string, path: string): Promise<Stats | null> {
  return stat(target).catch((error: NodeJS.ErrnoException) => {
    if (ignored.ignores(path)) return null;
    // What is no UTF-8 was read as this character, and is not found under that name.
    if (path.includes("\ufffd")) throw new Failure(`${path} has a name that is not UTF-8.`, RENAME);
    throw new Failure(`${path} cannot be read (${error.code}).`, `Fix it, or exclude it in ${IGNORE_FILE}.`);
  });
}

async function list(folder: string, prefix: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      `${prefix || folder} cannot be read (${code}).`,
      `Fix its permissions, or exclude it in ${IGNORE_FILE}.`,
    );
  }
}

/** Returns where a link leads, or null, with a note, where that is nowhere or outside the folder. */
async function follow(scan: Scan, folder: string, path: string, name: string): Promise<string | null> {
  if (scan.ignored.ignores(path)) return null;
  const target = await realpath(join(folder, name)).catch(() => null);
  if (target?.startsWith(scan.root + sep) || target === scan.root) return target;
  scan.notes.push(`${path} is a ${target === null ? "broken link" : "link out of the folder"}; skipped.`);
  return null;
}

/** An archive's names know no backslash, which other systems would read as a folder, and no drive to begin with. */
export function checkName(path: string, advice = RENAME): string {
  if (path.includes("\\")) throw new Failure(`${path} has a backslash in its name.`, advice);
  if (/^[A-Za-z]:/.test(path)) throw new Failure(`${path} begins like a path on a Windows drive.`, advice);
  return path;
}
