import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { errorCode } from "../../domain/error-message.ts";

/** The resolved target of a file name, after following links. */
export type FileTarget =
  /** An existing regular file, or one to be created. */
  | { readonly kind: "file"; readonly path: string }
  /** This process's open descriptor of that number. */
  | { readonly kind: "descriptor"; readonly number: number }
  /** A device, a named pipe, a folder: another file must not take its place. */
  | { readonly kind: "other"; readonly path: string };

export const STDOUT = 1;

/**
 * The target of `/dev/stdout`. It looks like a link, but its target is already open, and whoever opened it writes too.
 */
const DESCRIPTOR = /^\/(?:proc\/(\d+)(?:\/task\/\d+)?\/fd|dev\/fd)\/(\d+)$/;

/**
 * Resolves a file name; `-` is stdout. Rejects if its folder is missing, if it ends like a folder that does not exist,
 * or if links form a circle.
 */
export async function fileTarget(file: string): Promise<FileTarget> {
  if (file === "-") return { kind: "descriptor", number: STDOUT };
  // Throws if links form a circle.
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

/** Follows links, even to a missing file, and up to an open descriptor but not through it. */
async function followed(file: string): Promise<string> {
  // A name that ends like a folder must not create a file.
  if (file.endsWith("/")) return realpath(file);
  const path = join(await realpath(dirname(file)), basename(file));
  const link = DESCRIPTOR.test(path) ? null : await readlink(path).catch(() => null);
  if (link === null) return path;
  return followed(isAbsolute(link) ? link : `${dirname(path)}/${link}`);
}
