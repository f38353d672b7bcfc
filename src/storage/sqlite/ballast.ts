import { closeSync, existsSync, openSync, renameSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskSpace } from "../disk-space.ts";

/** Enough for the log of any deletion; SQLite writes before it frees. */
const BYTES = 16 * 1024 * 1024;

/** It is laid only where it is a small part of what is free. */
const MAX_SHARE_OF_FREE = 1 / 3;

const PIECE = 64 * 1024;

/**
 * Lays ballast beside the database where there is none: space that is given up when the disk is full and somebody wants
 * to delete something, which has to be written too. Does nothing while space is short.
 *
 * The reserve of `disk-space.ts` does not replace it: only uploads leave that alone. Once another program has filled the
 * disk, without ballast no site and no user can be deleted, and a server that stopped cannot start, as
 * `acceptance/full.disk.test.ts` shows.
 */
export function layBallast(database: string): void {
  const file = ballastOf(database);
  if (existsSync(file)) return;
  if (diskSpace(dirname(file)).free * MAX_SHARE_OF_FREE < BYTES) return;
  const partial = `${file}.partial`;
  const fd = openSync(partial, "w", 0o600);
  try {
    // Noise: a file system that compresses would keep nothing free for zeros.
    for (let size = 0; size < BYTES; size += PIECE) writeSync(fd, crypto.getRandomValues(new Uint8Array(PIECE)));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(partial, file);
}

/** Gives the ballast up; false where there is none, or none that this user may take away. */
export function giveUpBallast(database: string): boolean {
  try {
    unlinkSync(ballastOf(database));
    return true;
  } catch {
    return false;
  }
}

function ballastOf(database: string): string {
  return join(dirname(database), "ballast");
}
