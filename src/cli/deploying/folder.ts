import type { Dirent, Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { leftOutBy, mayHoldCredentials } from "../../domain/deployments/left-out.ts";
import { Failure } from "../terminal/errors.ts";
import type { SourceFile } from "./source.ts";

export const IGNORE_FILE = ".vitrineignore";

/**
 * Ignored by default, besides what the server never publishes. The lines of .vitrineignore follow, so that
 * `!node_modules/` includes a folder again. The last two are files of this program.
 */
const LEFT_OUT = ["node_modules/", `/${IGNORE_FILE}`, "/vitrine.json"];

interface Scan {
  readonly root: string;
  readonly ignored: Ignore;
  readonly files: SourceFile[];
  readonly notes: string[];
}

/** Returns the files of a folder sorted by path. Links are followed if their target is inside the folder. */
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
    throw new Failure(`${IGNORE_FILE} cannot be read (${error.code})`, "Fix or remove it.");
  });
  return ignore().add(LEFT_OUT).add(lines);
}

const RENAME = `Rename it, or exclude it in ${IGNORE_FILE}.`;

/** `above` are the real paths of the parent folders, to detect link cycles. */
async function scanInto(scan: Scan, folder: string, prefix: string, above: readonly string[]): Promise<void> {
  for (const entry of await list(folder, prefix)) {
    const path = prefix + entry.name;
    const target = entry.isSymbolicLink() ? await follow(scan, folder, path, entry.name) : join(folder, entry.name);
    if (target === null) continue;
    const info = await look(scan, target, path);
    if (info === null) continue;
    if (scan.ignored.ignores(info.isDirectory() ? `${path}/` : path) || isLeftOut(scan, path, info)) continue;
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

/** Returns whether the server would leave it out; says so if it may hold credentials. */
function isLeftOut(scan: Scan, path: string, info: Stats): boolean {
  const leftOut = leftOutBy(path, info.isDirectory());
  if (leftOut !== null && mayHoldCredentials(leftOut)) {
    scan.notes.push(`${leftOut} was left out: it may hold credentials.`);
  }
  return leftOut !== null;
}

/** Returns the file's status; null if it cannot be read and is ignored. */
async function look({ ignored }: Scan, target: string, path: string): Promise<Stats | null> {
  return stat(target).catch((error: NodeJS.ErrnoException) => {
    if (ignored.ignores(path) || leftOutBy(path) !== null) return null;
    // A name that is not UTF-8 contains the replacement character and is not found under it.
    if (path.includes("\ufffd")) throw new Failure(`${path} has a name that is not UTF-8`, RENAME);
    throw new Failure(`${path} cannot be read (${error.code})`, `Fix it, or exclude it in ${IGNORE_FILE}.`);
  });
}

async function list(folder: string, prefix: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      `${prefix || folder} cannot be read (${code})`,
      `Fix its permissions, or exclude it in ${IGNORE_FILE}.`,
    );
  }
}

/** Returns the target of a link; null, with a note, if it is dangling or outside the folder. */
async function follow(scan: Scan, folder: string, path: string, name: string): Promise<string | null> {
  if (scan.ignored.ignores(path) || leftOutBy(path) !== null) return null;
  const target = await realpath(join(folder, name)).catch(() => null);
  if (target?.startsWith(scan.root + sep) || target === scan.root) return target;
  scan.notes.push(`${path} is a ${target === null ? "broken link" : "link out of the folder"}; skipped.`);
  return null;
}

/** Names with a backslash or a drive letter are refused: other systems read them as folders. */
export function checkName(path: string, advice = RENAME): string {
  if (path.includes("\\")) throw new Failure(`${path} has a backslash in its name`, advice);
  if (/^[A-Za-z]:/.test(path)) throw new Failure(`${path} begins like a path on a Windows drive`, advice);
  return path;
}
