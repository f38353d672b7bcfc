import { statfsSync } from "node:fs";

/** Free space that content never uses, so that the database can still be written and sites deleted. */
const RESERVE_BYTES = 200 * 1024 * 1024;

/** The reserve of a small disk, as a share. */
const RESERVE_SHARE = 0.05;

/** The disk of a file or folder, in bytes and files. */
interface DiskSpace {
  readonly total: number;
  /** The space available to users without root's privileges. */
  readonly free: number;
  /** The space that uploads must leave free. */
  readonly reserve: number;
  /** Zero if the file system creates inodes dynamically. */
  readonly inodes: number;
  readonly freeInodes: number;
}

/** Returns the disk of an existing file or folder. */
export function diskSpace(path: string): DiskSpace {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(path);
  const total = blocks * bsize;
  return { total, free: bavail * bsize, reserve: reserveOf(total), inodes: files, freeInodes: ffree };
}

/** Returns the reserve of a disk with this total size. */
export function reserveOf(total: number): number {
  return Math.min(RESERVE_BYTES, RESERVE_SHARE * total);
}
