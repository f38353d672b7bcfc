import { closeSync, existsSync, openSync, renameSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskSpace } from "../disk/disk-space.ts";

/** Enough for the log of any deletion, which SQLite writes before it frees space. */
const BYTES = 16 * 1024 * 1024;

/** It is created only if it is a small part of the free space. */
const MAX_SHARE_OF_FREE = 1 / 3;

const PIECE = 64 * 1024;

/**
 * Creates the reserve file beside the database if there is none. On a full disk it is deleted when somebody wants to
 * delete something, which has to be written first. Does nothing while space is short.
 *
 * The reserve of `disk-space.ts` does not replace it, because only uploads respect that. Without this file, once
 * another program has filled the disk, no site and no user can be deleted, and a stopped server cannot start, as
 * `acceptance/full.disk.test.ts` shows.
 */
export function createReserveFile(database: string): void {
  const file = reserveFileOf(database);
  if (existsSync(file)) return;
  if (diskSpace(dirname(file)).free * MAX_SHARE_OF_FREE < BYTES) return;
  const partial = `${file}.partial`;
  const fd = openSync(partial, "w", 0o600);
  try {
    // Random bytes, because a compressing file system would not reserve space for zeros.
    for (let size = 0; size < BYTES; size += PIECE) writeSync(fd, crypto.getRandomValues(new Uint8Array(PIECE)));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(partial, file);
}

/** Deletes the reserve file. Returns false if there is none, or if this user cannot delete it. */
export function releaseReserveFile(database: string): boolean {
  try {
    unlinkSync(reserveFileOf(database));
    return true;
  } catch {
    return false;
  }
}

function reserveFileOf(database: string): string {
  return join(dirname(database), "ballast");
}
