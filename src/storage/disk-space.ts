import { statfsSync } from "node:fs";

/** Free space that content never takes, so that the database can still be written and sites be deleted. */
const RESERVE_BYTES = 200 * 1024 * 1024;

/** The same of a small disk. */
const RESERVE_SHARE = 0.05;

/** The disk that a file or folder lies on, in bytes and files. */
export interface DiskSpace {
  readonly total: number;
  /** What a user without root's privileges may still take. */
  readonly free: number;
  /** What uploads are refused for: so much of it stays free. */
  readonly reserve: number;
  /** None where the file system makes inodes as it needs them. */
  readonly inodes: number;
  readonly freeInodes: number;
}

/** Looks at the disk that a file or folder lies on, which must exist. */
export function diskSpace(path: string): DiskSpace {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(path);
  const total = blocks * bsize;
  return { total, free: bavail * bsize, reserve: reserveOf(total), inodes: files, freeInodes: ffree };
}

/** Returns the reserve of a disk of so many bytes. */
export function reserveOf(total: number): number {
  return Math.min(RESERVE_BYTES, RESERVE_SHARE * total);
}
