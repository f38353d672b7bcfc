import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { errorCode } from "../../domain/error-message.ts";

/** What is written to by the name of a file, where no link leads further. */
export type FileTarget =
  /** It is, or will be, a regular file. */
  | { readonly kind: "file"; readonly path: string }
  /** This process's open descriptor of that number. */
  | { readonly kind: "descriptor"; readonly number: number }
  /** A device, a named pipe, a folder: another file must not take its place. */
  | { readonly kind: "other"; readonly path: string };

export const STDOUT = 1;

/**
 * What `/dev/stdout` leads to. A link stands there, but what it leads to is already open, and whoever opened it writes
 * too.
 */
const DESCRIPTOR = /^\/(?:proc\/(\d+)(?:\/task\/\d+)?\/fd|dev\/fd)\/(\d+)$/;

/**
 * Returns what the name of a file stands for; `-` is stdout. Rejects where its folder is none, where it ends as the name
 * of a folder that is none, or links lead in a circle.
 */
export async function fileTarget(file: string): Promise<FileTarget> {
  if (file === "-") return { kind: "descriptor", number: STDOUT };
  // Links in a circle are told here.
  const there = await stat(file).catch(nothingThere);
  const path = await followed(file);
  const [descriptor, owner, number] = DESCRIPTOR.exec(path) ?? [];
  if (descriptor === undefined) return { kind: (there?.isFile() ?? true) ? "file" : "other", path };
  const isOwn = owner === undefined || Number(owner) === process.pid;
  return isOwn ? { kind: "descriptor", number: Number(number) } : { kind: "other", path };
}

// --- internal ---

function nothingThere(error: unknown): null {
  if (errorCode(error) !== "ENOENT") throw error;
  return null;
}

/** Follows links also to where nothing is yet, and to an open descriptor, but not through it. */
async function followed(file: string): Promise<string> {
  // No file may be made where a folder is meant.
  if (file.endsWith("/")) return realpath(file);
  const path = join(await realpath(dirname(file)), basename(file));
  const link = DESCRIPTOR.test(path) ? null : await readlink(path).catch(() => null);
  if (link === null) return path;
  return followed(isAbsolute(link) ? link : `${dirname(path)}/${link}`);
}
