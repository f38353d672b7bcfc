import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../adapters/failure.ts";

/** What is written to by the name of a file, where no link leads further. */
export interface FileTarget {
  readonly path: string;
  /** The number of this process's open descriptor that the path means. */
  readonly descriptor?: number;
  /** Whether it is, or will be, a regular file: another file must not take the place of a device or a named pipe. */
  readonly isFile: boolean;
}

export const STDOUT = 1;

/**
 * What `/dev/stdout` leads to. A link stands there, but what it leads to is already open, and whoever opened it writes
 * too.
 */
const DESCRIPTOR = /^\/(?:proc\/(\d+)\/fd|dev\/fd)\/(\d+)$/;

/**
 * Returns what the name of a file stands for; `-` is stdout. Rejects where its folder is none, or links lead in a
 * circle.
 */
export async function fileTarget(file: string): Promise<FileTarget> {
  if (file === "-") return { path: file, descriptor: STDOUT, isFile: false };
  // Links in a circle are told here.
  const there = await stat(file).catch(nothingThere);
  const path = await followed(file);
  const [descriptor, owner, number] = DESCRIPTOR.exec(path) ?? [];
  if (descriptor === undefined) return { path, isFile: there?.isFile() ?? true };
  const isOwn = owner === undefined || Number(owner) === process.pid;
  return { path, isFile: false, ...(isOwn ? { descriptor: Number(number) } : {}) };
}

// --- internal ---

function nothingThere(error: unknown): null {
  if (errorCode(error) !== "ENOENT") throw error;
  return null;
}

/** Follows links also to where nothing is yet, and to an open descriptor, but not through it. */
async function followed(file: string): Promise<string> {
  const path = join(await realpath(dirname(file)), basename(file));
  const link = DESCRIPTOR.test(path) ? null : await readlink(path).catch(() => null);
  return link === null ? path : followed(resolve(dirname(path), link));
}
